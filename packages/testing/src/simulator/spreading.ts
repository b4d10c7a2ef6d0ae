import type { EngineOptions } from '@millrace/limiter/engine';
import type { Dice } from './dice.js';

/** When the buckets of a world are spread over more items, and over fewer again. */
export interface Spreading {
  readonly sharding: Required<NonNullable<EngineOptions['sharding']>>;
  /** How many of the writes are throttled because of their key, as a partition does that carries no more. */
  readonly hotKeys: number;
}

/** So often nothing is written: a bucket is not split by it, or is merged as soon as it may be. */
const NEVER_PER_SEC = 1e9;
const HALF_A_WORLD = 0.5;

/**
 * Draws when buckets are split and merged. A world lasts for minutes and is far too quiet for the figures of DynamoDB: here
 * throttles come by chance, or a fraction of the world's own load is more than an item carries.
 */
export function drawSpreading(dice: Dice, acquiresPerSec: number): Spreading {
  const [hotKeys, part] = dice.pick([[0.003], [0.03], [0, 0.4], [0.003, 0.4]] as const);
  const splitPerSec = part === undefined ? NEVER_PER_SEC : part * acquiresPerSec;
  const mergePerSec = dice.chance(HALF_A_WORLD) ? NEVER_PER_SEC : 0.4 * Math.min(splitPerSec, acquiresPerSec);
  return { sharding: { maxShards: dice.pick([2, 4, 8, 32]), splitPerSec, mergePerSec, settleMs: dice.pick([0, 5_000, 60_000]) }, hotKeys };
}
