import {
  ATTRIBUTE,
  acrossLayouts,
  type BucketState,
  bucketFromItem,
  bucketKey,
  creditInScale,
  debitInScale,
  type ItemKey,
  type LimitState,
  layoutOf,
  limitAttribute,
  MAX_SHARDS,
  MillraceError,
  SCHEMA_VERSION,
  shardCount,
  ValidationError,
} from '@millrace/core';
import type { Amounts } from '../engine/index.js';
import { type Administration, inTurns } from './administration.js';
import { eventWrites } from './entity-item.js';
import type { Clause, ItemWrite } from './item-table.js';
import { wireItem } from './level-item.js';

/** Which bucket an administrator changes, and who that is. */
export interface BucketName {
  readonly entity: string;
  readonly resource: string;
  readonly actor: string | undefined;
}

/** The scale in which a token takes a microsecond: a charge in it is a number of tokens. */
const TOKENS = '1/1';

/**
 * For how long a bucket seems to have been idle once it is reset. One that is full since now does not admit its whole
 * capacity: the dead-band of ADR 0001 must have been idle, too. That is at most half of the time that a bucket takes to
 * fill, which is at most 20 years. An arrival time before now says idle and nothing more, so no token is minted by it.
 */
const RESTED_US = 10 * 366 * 86_400_000_000;

interface Shard {
  readonly shard: number;
  readonly key: ItemKey;
  readonly state: BucketState;
}

/**
 * Makes every limit of a bucket full, on all its items, so that one request may take its whole capacity. One read and one
 * transaction; the read alone where it was reset before and nobody has taken since. What is taken between the two is given
 * back like everything before, and a transaction that arrives twice is carried out once. It counts neither as used nor as
 * returned, since nobody has used or returned anything.
 */
export async function resetBucket(parts: Administration, name: BucketName): Promise<void> {
  await inTurns('reset a bucket', async () => {
    const nowMs = parts.nowMs();
    const nowUs = Math.floor(nowMs * 1000);
    const restedUs = Math.max(0, nowUs - RESTED_US);
    const shards = inUse(await readShards(parts, name, MAX_SHARDS));
    const writes = shards.flatMap(({ key, state }): ItemWrite[] => {
      const missing = [
        ...laterThan(state.limits, restedUs).map((limit) => limitAttribute('tat', limit)),
        // Where a split is under way, the items that are still to come must not begin with what was missing.
        ...laterThan(state.seeds ?? new Map(), restedUs).map((limit) => limitAttribute('seed', limit)),
      ];
      if (missing.length === 0) return [];
      const set = Object.fromEntries(missing.map((attribute) => [attribute, restedUs]));
      return [{ kind: 'update', key, set, add: { [ATTRIBUTE.seq]: 1 }, when: [isSpreadAs(state), ...missing.map(isPresent)] }];
    });
    if (writes.length === 0) return true;
    const before = { missing: missingTokens(shards, nowUs) };
    const event = { action: 'bucket.reset', before, after: { missing: {} }, nowMs, ...name } as const;
    return (await change(parts, [...writes, ...eventWrites(parts, event)])) === 'done' ? true : undefined;
  });
}

function laterThan(limits: ReadonlyMap<string, { readonly tatUs: number }>, restedUs: number): readonly string[] {
  return [...limits].filter(([, { tatUs }]) => tatUs > restedUs).map(([limit]) => limit);
}

/**
 * Gives a bucket tokens now, as if they had not been taken; what is more than full is lost. One read and one transaction.
 * It counts neither as used nor as returned. Of a bucket of several items each gets its part, so that they fill together.
 *
 * Returns what was added of each limit, by the bucket as it was read: less than was asked where less was missing.
 *
 * @throws ValidationError for a limit that the bucket does not keep
 */
export async function grantTokens(parts: Administration, name: BucketName, amounts: Amounts): Promise<Amounts> {
  return inTurns('grant tokens', async () => {
    const nowMs = parts.nowMs();
    const nowUs = Math.floor(nowMs * 1000);
    const shards = inUse(await readShards(parts, name, MAX_SHARDS));
    const kept = new Set(shards.flatMap(({ state }) => [...state.limits.keys()]));
    for (const limit of Object.keys(amounts)) if (!kept.has(limit)) throw unknownLimit(name, kept, limit);
    const writes = shards.flatMap(({ key, state }): ItemWrite[] => {
      const credits = Object.entries(amounts).flatMap(([limit, tokens]) => creditOf(name, state, limit, tokens) ?? []);
      if (credits.length === 0) return [];
      const add = { ...Object.fromEntries(credits.map(({ change }) => change)), [ATTRIBUTE.seq]: 1 };
      return [{ kind: 'update', key, add, when: [isSpreadAs(state), ...credits.flatMap(({ when }) => when)] }];
    });
    const granted = Object.fromEntries(
      Object.entries(amounts).map(([limit, tokens]) => [limit, addedTokens(name, shards, limit, tokens, nowUs)]),
    );
    const before = { missing: missingTokens(shards, nowUs) };
    const event = { action: 'bucket.grant', before, after: { granted, asked: amounts }, nowMs, ...name } as const;
    return (await change(parts, [...writes, ...eventWrites(parts, event)])) === 'done' ? granted : undefined;
  });
}

/** How many of the tokens a limit has room for, over all items of its bucket; an item takes no more than it lacks. */
function addedTokens(name: BucketName, shards: readonly Shard[], limit: string, tokens: number, nowUs: number): number {
  let [addedUs, scale] = [0, TOKENS];
  for (const { state } of shards) {
    const held = state.limits.get(limit);
    if (held === undefined) continue;
    scale = withScale(name, held, limit).scale;
    addedUs += Math.min(creditInScale(tokens, TOKENS, scale), Math.max(0, held.tatUs - nowUs));
  }
  const added = debitInScale(acrossLayouts(addedUs, itemsOf(shards[0]?.state), 1, 'up'), scale, TOKENS);
  return Math.min(tokens, added);
}

/**
 * What brings an item its part of the tokens; undefined if it lacks none of the limit. A token takes as many times longer
 * on one of several items, so that each moves by the time that all the tokens take on one: together that is all of them.
 */
function creditOf(name: BucketName, state: BucketState, limit: string, tokens: number) {
  const held = state.limits.get(limit);
  if (held === undefined) return undefined;
  const { tatUs, scale } = withScale(name, held, limit);
  const [tat, kept] = [limitAttribute('tat', limit), limitAttribute('scale', limit)];
  // Far below now an arrival time means no more than below it; the numbers have to stay exact.
  const creditUs = Math.min(creditInScale(tokens, TOKENS, scale), Math.max(0, tatUs));
  return { change: [tat, -creditUs] as const, when: [isPresent(tat), { attribute: kept, equals: scale }] };
}

/** Refused where the bucket has been spread over other items meanwhile. */
function isSpreadAs({ layout }: BucketState): Clause {
  return layout === undefined ? { attribute: ATTRIBUTE.layout, is: 'absent' } : { attribute: ATTRIBUTE.layout, equals: layout };
}

/** Buckets are no configuration; but who has seen one exhausted in this process must ask it again. */
function change({ items, onChange }: Administration, writes: readonly ItemWrite[]): Promise<'done' | 'conflict'> {
  return items.transact(writes).finally(() => onChange([]));
}

/** The items of a bucket that there are. Core's own reader decides what is in them, and whether this release may write to them. */
async function readShards({ items, namespaceId }: Administration, name: BucketName, count: number): Promise<readonly Shard[]> {
  const { entity, resource } = name;
  const keys = Array.from({ length: count }, (_, shard) => bucketKey({ namespaceId, entity, resource, shard }));
  const found = await items.get(keys);
  const shards = keys.flatMap((key, shard): Shard[] => {
    const item = found[shard];
    return item === undefined ? [] : [{ shard, key, state: bucketFromItem(wireItem(item)) }];
  });
  if (shards.length === 0) throw unknownBucket(name);
  return shards;
}

function unknownBucket({ entity, resource }: BucketName): ValidationError {
  return new ValidationError('resource', `one that "${entity}" has a bucket of: nothing was taken yet, so nothing is missing`, resource);
}

function unknownLimit({ entity, resource }: BucketName, kept: ReadonlySet<string>, limit: string): ValidationError {
  return new ValidationError('limit', `one that the bucket of "${entity}" on "${resource}" keeps (${[...kept].join(', ')})`, limit);
}

function withScale({ entity, resource }: BucketName, held: LimitState, limit: string): LimitState & { readonly scale: string } {
  const { scale } = held;
  if (scale !== undefined) return { ...held, scale };
  throw new MillraceError(
    'SCHEMA_VERSION',
    `limit "${limit}" of "${entity}" on "${resource}" was written by a release that did not keep its rate; acquire once, then grant again`,
    { data: { known: SCHEMA_VERSION } },
  );
}

/** How many tokens each limit lacks, of those that lack any and whose rate is known. */
function missingTokens(shards: readonly Shard[], nowUs: number): Amounts {
  const missing = new Map<string, number>();
  for (const [limit, { tatUs, scale }] of shards.flatMap(({ state }) => [...state.limits])) {
    if (tatUs <= nowUs || scale === undefined) continue;
    const items = itemsOf(shards[0]?.state);
    const missingUs = acrossLayouts(tatUs - nowUs, items, 1, 'up');
    missing.set(limit, (missing.get(limit) ?? 0) + debitInScale(missingUs, scale, TOKENS));
  }
  return Object.fromEntries(missing);
}

/** Over how many items a bucket is spread, by the first of them. */
function itemsOf(first: BucketState | undefined): number {
  return shardCount(layoutOf(first));
}

/** The items that callers take from; those that a merge has left behind lack nothing any more. */
function inUse(shards: readonly Shard[]): readonly Shard[] {
  const items = itemsOf(shards[0]?.state);
  return shards.filter(({ shard }) => shard < items);
}

function isPresent(attribute: string): Clause {
  return { attribute, is: 'present' };
}
