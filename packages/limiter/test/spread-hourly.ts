import { type BucketRef, Limit, layoutOf, shardCount, shardTiming, timingOf } from '@millrace/core';
import type { Engine } from '@millrace/limiter/engine';
import { SpreadWorld } from './spread-world.js';

/** How long a token takes. */
const TOKEN_US = 3_600_000;
/** What peers fail with, as far as it was read: 1,000 an hour. */
export const HOURLY = Limit.perHour('rph', 1_000, { reserve: 0 });
export const ALL = { limits: [HOURLY] };

/** A bucket over so many items, and a process that has not met it. */
export async function spread(count: number, limits: readonly Limit[] = [HOURLY], entity = 'key') {
  const world = new SpreadWorld(undefined, 1, entity);
  await world.engine().acquire(entity, 'model', Object.fromEntries(limits.map(({ name }) => [name, 1])), { limits });
  await world.spreader().spreadTo(count, world.ref, limits);
  // Long enough for the one token to be back.
  world.runtime.advance(TOKEN_US / 1_000);
  return { world, engine: world.engine() };
}

/** Takes from one item, so that so many tokens of its share are gone, beside all callers. */
export function drain(world: SpreadWorld, shard: number, tokens: number, limit = HOURLY): void {
  const ref: BucketRef = { ...world.ref, shard };
  const layout = layoutOf(world.store.bucket(ref));
  const { periodUs, refill } = shardTiming(timingOf(limit), shardCount(layout));
  const chargeUs = Math.ceil((tokens * periodUs) / refill);
  world.store.apply({
    ref,
    nowUs: world.nowUs,
    ttlSec: 2 ** 31,
    layout,
    moves: [{ form: 'idle', limit: limit.name, tokens: 0, chargeUs, toUs: world.nowUs, scale: timingOf(limit).scale }],
  });
}

/** Takes one token after the other until one is refused. */
export async function takeAll(engine: Engine, tokens = 1, options = ALL): Promise<number> {
  let taken = 0;
  // What is given back to no one cannot be found by chance alone: a few refusals in a row, and the bucket is empty.
  for (let refused = 0; refused < 40; ) {
    const verdict = await engine.tryAcquire('key', 'model', { [options.limits[0]?.name ?? '']: tokens }, options);
    if (verdict.allowed) [taken, refused] = [taken + tokens, 0];
    else refused += 1;
  }
  return taken;
}

/** What each item lacks, in tokens. */
export const missingOf = (world: SpreadWorld): readonly number[] =>
  Array.from({ length: world.count }, (_, shard) => {
    const tatUs = world.items()[shard]?.limits.get('rph')?.tatUs ?? 0;
    return Math.max(0, tatUs - world.nowUs) / (world.count * TOKEN_US);
  });

/** What all items lack together, in tokens. */
export const lackingTokens = (world: SpreadWorld) => world.lackingUs('rph') / TOKEN_US;
