import type { ConfigLevel, Limit, LimitDefinition, UnavailablePolicy } from '@millrace/core';

/** What limits there shall be: a manifest that was checked. */
export interface Manifest {
  /** Tells whose applies made what. Two manifests of one namespace have two names. */
  readonly name: string;
  /** The namespace that it is written for; absent where it may be applied to any. */
  readonly namespace?: string;
  /** What calls shall do when the store cannot be reached; absent where the manifest does not say. */
  readonly onUnavailable?: UnavailablePolicy;
  /** In the order of the manifest: the system's, the resources', the entities'. No level twice. */
  readonly levels: readonly ManifestLevel[];
}

/** The limits that one level shall have. */
export interface ManifestLevel {
  readonly level: ConfigLevel;
  readonly limits: readonly Limit[];
}

/** A manifest as it is written, in YAML, JSON or TypeScript. */
export interface ManifestSource {
  /** For editors; not looked at. */
  readonly $schema?: string;
  /** @default 'default' */
  readonly name?: string;
  /** @default any */
  readonly namespace?: string;
  readonly system?: { readonly onUnavailable?: UnavailablePolicy; readonly limits?: LimitsSource };
  /** The limits of each resource. */
  readonly resources?: Readonly<Record<string, LimitsSource>>;
  /** What each entity has of its own. */
  readonly entities?: Readonly<Record<string, EntitySource>>;
}

/** The limits of an entity: its default, and by resource. */
export interface EntitySource {
  readonly default?: LimitsSource;
  readonly resources?: Readonly<Record<string, LimitsSource>>;
}

/** One to ten limits of different names. */
export type LimitsSource = readonly LimitSource[];

/** A limit: its short form (`rpm:500/min`, `tpm:800000/min:900000`), in full, or with the name of its period. */
export type LimitSource = string | LimitDefinition | (Omit<LimitDefinition, 'periodMs'> & { readonly per: 'sec' | 'min' | 'hour' | 'day' });
