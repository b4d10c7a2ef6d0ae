import {
  type BucketRef,
  debitUs,
  FIRST_LAYOUT,
  type Layout,
  type Limit,
  type ResolvedConfig,
  type Timing,
  timingOf,
  ValidationError,
} from '@millrace/core';

/** Tokens by the name of the limit. */
export type Amounts = Readonly<Record<string, number>>;

/** What is taken from one limit. */
export interface Debit {
  readonly limit: Limit;
  readonly timing: Timing;
  readonly tokens: number;
  readonly chargeUs: number;
  /** What the caller asked for, where this is only a part of it. */
  readonly requested?: number;
}

/** One bucket that an acquire takes from: the entity's own, or an ancestor's. */
export interface Level {
  readonly entity: string;
  readonly resource: string;
  readonly ref: BucketRef;
  /** Names the item within this process. */
  readonly bucket: string;
  /** Over how many items the writer believes the bucket to be spread. One that is spread otherwise refuses it. */
  readonly layout: Layout;
  /** The version of the configuration that the writer knows. A bucket that has met a newer one refuses it. */
  readonly configVersion: number;
  readonly mode: LevelMode;
  /** What the limits were resolved from; undefined where the call brought its own. */
  readonly stored: ResolvedConfig | undefined;
  /** How long the caller is ready to wait for its turn. */
  readonly waitUs: number;
  /** All limits of the entity on the resource: a lease may settle on one that the acquire did not ask of. */
  readonly limits: readonly Limit[];
  readonly debits: readonly Debit[];
}

/** The limits that hold for an entity on a resource; undefined where nothing limits it. */
export type LimitSource = (entity: string) => readonly Limit[] | undefined;

/** How one level is treated: as its limits say, decided but never refused, or not at all. */
export type LevelMode = 'enforce' | 'shadow' | 'bypass';

/** Who a level is about, and what holds for it. */
export interface LevelFacts {
  readonly ref: BucketRef;
  readonly bucket: string;
  readonly limits: readonly Limit[];
  readonly configVersion: number;
  readonly mode: LevelMode;
  readonly stored: ResolvedConfig | undefined;
  readonly waitUs: number;
}

/** A level of a request. A request that could never be admitted is refused here, before anything is sent. */
export function levelFor(facts: LevelFacts, amounts: Amounts): Level {
  const { ref, bucket, limits, configVersion, mode, stored, waitUs } = facts;
  const { entity, resource } = ref;
  const debits: Debit[] = [];
  for (const limit of limits) {
    // A limit may be called "constructor", which every object seems to have.
    const tokens = Object.hasOwn(amounts, limit.name) ? amounts[limit.name] : undefined;
    if (tokens === undefined) continue;
    // In shadow mode nothing is refused, a request that would never be admitted least of all.
    if (tokens > limit.capacity && mode === 'enforce') {
      throw new ValidationError(
        `amount of "${limit.name}" for "${entity}" on "${resource}"`,
        `at most its capacity of ${limit.capacity}`,
        tokens,
      );
    }
    const timing = timingOf(limit);
    debits.push({ limit, timing, tokens, chargeUs: debitUs(timing, tokens) });
  }
  // Said one by one: this is made for each acquire, and copying by name costs more than all of the arithmetic.
  return { entity, resource, ref, bucket, layout: FIRST_LAYOUT, configVersion, mode, stored, waitUs, limits, debits };
}
