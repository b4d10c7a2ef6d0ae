import { type BucketRef, bucketKey, debitUs, type Limit, type Timing, timingOf, ValidationError } from '@millrace/core';

/** Tokens by the name of the limit. */
export type Amounts = Readonly<Record<string, number>>;

/** What is taken from one limit. */
interface Debit {
  readonly limit: Limit;
  readonly timing: Timing;
  readonly tokens: number;
  readonly chargeUs: number;
}

/** One bucket that an acquire takes from: the entity's own, or an ancestor's. */
export interface Level {
  readonly entity: string;
  readonly resource: string;
  readonly ref: BucketRef;
  /** Names the bucket within this process. */
  readonly bucket: string;
  /** The version of the entity's lineage that the writer knows; absent for ancestors, which the entity's own version covers. */
  readonly configVersion?: number;
  /** All limits of the entity on the resource: a lease may settle on one that the acquire did not ask of. */
  readonly limits: readonly Limit[];
  readonly debits: readonly Debit[];
}

/** The limits that hold for an entity on a resource; undefined where nothing limits it. */
export type LimitSource = (entity: string) => readonly Limit[] | undefined;

/**
 * The buckets that an acquire takes from, the entity's own first.
 *
 * The entity must have every limit that is asked of. An ancestor takes part with those that it has: a project may limit
 * tokens and leave requests to its keys. A request that could never be admitted is refused here, before anything is sent.
 */
export function planLevels(
  namespaceId: string,
  entity: string,
  resource: string,
  lineage: { readonly charged: readonly string[]; readonly version: number },
  amounts: Amounts,
  limitsOf: LimitSource,
): readonly Level[] {
  const own = limitsOf(entity);
  if (own === undefined) throw new ValidationError(`limits of "${entity}" on "${resource}"`, 'handed in with the call', undefined);
  const missing = Object.keys(amounts).find((name) => own.every((limit) => limit.name !== name));
  if (missing !== undefined) {
    throw new ValidationError(`limit of "${entity}" on "${resource}"`, `one of ${own.map((limit) => limit.name).join(', ')}`, missing);
  }

  const levels = [levelFor(namespaceId, entity, resource, own, amounts, lineage.version)];
  for (const ancestor of lineage.charged) {
    const limits = limitsOf(ancestor);
    if (limits !== undefined) levels.push(levelFor(namespaceId, ancestor, resource, limits, amounts));
  }
  return levels;
}

function levelFor(
  namespaceId: string,
  entity: string,
  resource: string,
  limits: readonly Limit[],
  amounts: Amounts,
  configVersion?: number,
): Level {
  const ref: BucketRef = { namespaceId, entity, resource, shard: 0 };
  const debits: Debit[] = [];
  for (const limit of limits) {
    // A limit may be called "constructor", which every object seems to have.
    const tokens = Object.hasOwn(amounts, limit.name) ? amounts[limit.name] : undefined;
    if (tokens === undefined) continue;
    if (tokens > limit.capacity) {
      throw new ValidationError(
        `amount of "${limit.name}" for "${entity}" on "${resource}"`,
        `at most its capacity of ${limit.capacity}`,
        tokens,
      );
    }
    const timing = timingOf(limit);
    debits.push({ limit, timing, tokens, chargeUs: debitUs(timing, tokens) });
  }
  return {
    entity,
    resource,
    ref,
    bucket: bucketKey(ref).partition,
    ...(configVersion === undefined ? {} : { configVersion }),
    limits,
    debits,
  };
}
