import type { Limit } from './limit.js';
import { type EntityRecord, lineageOf } from './lineage.js';

/** Where limits can be stored. The first of an entity's four levels that has limits wins whole; levels are never mixed. */
export type ConfigLevel =
  | { readonly level: 'system' }
  | { readonly level: 'resource'; readonly resource: string }
  | { readonly level: 'entity-default'; readonly entity: string }
  | { readonly level: 'entity'; readonly entity: string; readonly resource: string };

/** What the resolved limits come from: a level, or the call's own argument. */
export type ConfigSource = ConfigLevel['level'] | 'argument';

/**
 * How an entity is treated, whatever its limits say. `enforce`: as they say. `shadow`: decided and counted, never
 * refused. `bypass`: not limited, not counted. `disabled`: refused, with a reason.
 */
export interface EntityControl {
  readonly mode: 'enforce' | 'shadow' | 'bypass' | 'disabled';
  /** Why; said in the error of a disabled entity. */
  readonly reason?: string;
}

/** What the store should do for calls when it cannot be reached. */
export type UnavailablePolicy = 'block' | 'allow';

/** What is stored at one level. A deleted level is kept for a while, without anything, so that its version goes on growing. */
export interface ConfigRecord {
  /** Absent where the level has none. */
  readonly limits?: readonly Limit[];
  /**
   * Names of limits that the level once had. Callers may go on asking for them: taking a limit away must not break the
   * services that use it, while a name that nobody ever had is a mistake of the caller.
   */
  readonly retired?: readonly string[];
  /** Grows with every change of the level. Milliseconds since the epoch, or one more than before if that is later. */
  readonly version: number;
  readonly updatedAtMs: number;
  /** Only at the default level of an entity. */
  readonly control?: EntityControl;
  /** Only at the system level. */
  readonly onUnavailable?: UnavailablePolicy;
  /** Only at the system level: the namespace was deleted, nothing in it may be acquired any more. */
  readonly closed?: boolean;
  /** The manifest whose apply wrote the limits; absent where they were set by hand. */
  readonly managedBy?: string;
}

/** One item that resolution reads: a level's, or an entity's own (its lineage). */
export type ConfigRef = ConfigLevel | { readonly level: 'lineage'; readonly entity: string };

/** What an item of the configuration held: one of the two, by what was asked for; neither where there is no such item. */
export interface ConfigEntry {
  readonly record?: ConfigRecord;
  readonly entity?: EntityRecord;
}

/** The items that together decide about an entity on a resource. */
export interface ConfigParts {
  readonly lineage: ConfigEntry;
  readonly entity: ConfigEntry;
  readonly entityDefault: ConfigEntry;
  readonly resource: ConfigEntry;
  readonly system: ConfigEntry;
}

/** What holds for an entity on a resource. */
export interface ResolvedConfig {
  /** Absent where no level has any. */
  readonly limits?: readonly Limit[];
  readonly source?: ConfigSource;
  /** The ancestors that an acquire also takes from, nearest first. */
  readonly charged: readonly string[];
  /**
   * The sum of the versions of all that was looked at. Each of them only ever grows, so any change of any of them makes
   * a larger sum; a maximum would miss a change that is older than another item's last one.
   */
  readonly version: number;
  readonly control: EntityControl;
  readonly onUnavailable?: UnavailablePolicy;
  readonly closed: boolean;
  /** What was found at the levels, nearest first. */
  readonly levels: readonly (ConfigRecord | undefined)[];
}

const ENFORCE: EntityControl = Object.freeze({ mode: 'enforce' });

/** Decides what holds: the first level with limits, nearest first, wins whole. */
export function resolveConfig(parts: ConfigParts): ResolvedConfig {
  const levels = [
    ['entity', parts.entity.record],
    ['entity-default', parts.entityDefault.record],
    ['resource', parts.resource.record],
    ['system', parts.system.record],
  ] as const;
  const winner = levels.find(([, record]) => record?.limits !== undefined);
  const lineage = lineageOf(parts.lineage.entity);
  const onUnavailable = parts.system.record?.onUnavailable;
  return {
    ...(winner?.[1]?.limits === undefined ? {} : { limits: winner[1].limits, source: winner[0] }),
    charged: lineage.charged,
    version: levels.reduce((sum, [, record]) => sum + (record?.version ?? 0), lineage.version),
    control: parts.entityDefault.record?.control ?? ENFORCE,
    ...(onUnavailable === undefined ? {} : { onUnavailable }),
    closed: parts.system.record?.closed ?? false,
    levels: levels.map(([, record]) => record),
  };
}

/**
 * Whether a limit of that name is, or was, stored at any level. What the winning level does not have is not limited;
 * what no level ever had is a mistake.
 */
export function knowsLimit(resolved: ResolvedConfig, name: string): boolean {
  return resolved.levels.some(
    (record) => record?.limits?.some((limit) => limit.name === name) === true || record?.retired?.includes(name) === true,
  );
}

/** The items that decide about an entity on a resource, in the order of {@link ConfigParts}. */
export function configRefs(entity: string, resource: string): readonly ConfigRef[] {
  return [
    { level: 'lineage', entity },
    { level: 'entity', entity, resource },
    { level: 'entity-default', entity },
    { level: 'resource', resource },
    { level: 'system' },
  ];
}
