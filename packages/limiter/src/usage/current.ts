import { bucketFromItem, bucketKey, checkKeys, checkName, isMillraceError, MAX_SHARDS, unescapeName } from '@millrace/core';
import { readBuckets } from '../admin/entity-leftovers.js';
import { type Item, keyOf } from '../admin/item-table.js';
import { wireItem } from '../admin/level-item.js';
import type { UsageParts } from './usage-parts.js';

/** Whose buckets to read. */
export interface CurrentOptions {
  readonly entity: string;
  /** @default every resource that the entity has a bucket of */
  readonly resource?: string;
}

/** What a bucket says now of one limit. */
export interface CurrentLimit {
  /** Tokens consumed, less those given back, since the bucket began to count the limit: see {@link CurrentUsage.since}. */
  readonly net: number;
  /** Tokens that one request could take now, the least of all levels; absent where no stored limit says so. */
  readonly available?: number;
}

/** What an entity has used of a resource by now, as its bucket says. */
export interface CurrentUsage {
  readonly resource: string;
  /** When its oldest item was created: a bucket that nobody uses expires some days after it is full, and begins anew. Absent for one of a release that did not say. */
  readonly since?: Date;
  readonly limits: Readonly<Record<string, CurrentLimit>>;
}

/**
 * Reads buckets, which know of every acquire that was answered, without waiting for the ledger. Both counters of a limit
 * begin at one number, so their difference needs nothing else. One read for the items of a bucket, or for each hundred
 * buckets, and one more for each three of them that are spread over several items, or were; and those of `available` for
 * each resource.
 */
export async function readCurrent(parts: UsageParts, options: CurrentOptions): Promise<readonly CurrentUsage[]> {
  checkKeys('options', options, ['entity', 'resource']);
  const { entity, resource } = options;
  checkName('entity', entity);
  if (resource !== undefined) checkName('resource', resource);
  return parts.run('read current usage', async () => {
    const buckets = resource === undefined ? await bucketsOf(parts, entity) : new Map([[resource, await itemsOf(parts, entity, resource)]]);
    const found = [...buckets].filter(([, items]) => items.length > 0).sort(([a], [b]) => (a < b ? -1 : 1));
    const current: CurrentUsage[] = [];
    for (const [name, items] of found) current.push(currentOf(name, items, await availableOf(parts, entity, name)));
    return current;
  });
}

/** The items of a bucket, whatever its layout: those that a merge has left behind have counted, too. */
export async function itemsOf(
  { items, namespaceId }: Pick<UsageParts, 'items' | 'namespaceId'>,
  entity: string,
  resource: string,
): Promise<readonly Item[]> {
  const keys = Array.from({ length: MAX_SHARDS }, (_, shard) => bucketKey({ namespaceId, entity, resource, shard }));
  return (await items.get(keys)).filter((item) => item !== undefined);
}

async function bucketsOf(parts: UsageParts, entity: string): Promise<ReadonlyMap<string, readonly Item[]>> {
  const buckets = new Map<string, Item[]>();
  let after: string | undefined;
  do {
    const { firsts, others, next } = await readBuckets(parts, entity, after);
    for (const item of [...firsts, ...others]) {
      const name = unescapeName(keyOf(item).sort);
      const items = buckets.get(name);
      if (items === undefined) buckets.set(name, [item]);
      else items.push(item);
    }
    after = next;
  } while (after !== undefined);
  return buckets;
}

function currentOf(resource: string, items: readonly Item[], available: Readonly<Record<string, number>>): CurrentUsage {
  const states = items.map((item) => bucketFromItem(wireItem(item)));
  const net = new Map<string, bigint>();
  for (const [limit, { used, returned }] of states.flatMap(({ limits }) => [...limits])) {
    net.set(limit, (net.get(limit) ?? 0n) + used - returned);
  }
  const limits = [...net]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([limit, tokens]): [string, CurrentLimit] => {
      const left = available[limit];
      return [limit, { net: Number(tokens), ...(left === undefined ? {} : { available: left }) }];
    });
  const erasUs = states.map(({ eraUs }) => eraUs ?? 0);
  const sinceUs = Math.min(...erasUs);
  return { resource, ...(sinceUs === 0 ? {} : { since: new Date(sinceUs / 1_000) }), limits: Object.fromEntries(limits) };
}

/** A bucket may have been used under limits that only its caller knew. */
async function availableOf(parts: UsageParts, entity: string, resource: string): Promise<Readonly<Record<string, number>>> {
  try {
    return await parts.available(entity, resource);
  } catch (error) {
    if (isMillraceError(error) && error.code === 'VALIDATION') return {};
    throw error;
  }
}
