import { type Layout, shardCount } from '@millrace/core';
import { BoundedMap } from './bounded-map.js';
import { isExhausted } from './item-proof.js';
import type { Level } from './level.js';
import { onShard } from './shard-level.js';
import type { TakeParts } from './take.js';

/**
 * How long a process stays with an item. Callers of one moment go to the same one, so that one write takes for them; and
 * not for ever, so that the items of a bucket fill and empty together.
 */
const STAY_US = 100_000;

interface Stay {
  readonly layout: Layout;
  readonly shard: number;
  readonly untilUs: number;
}

/** Which item of a bucket a request goes to, by what this process knows of them: the better one of two drawn by chance. */
export class ShardChoice {
  readonly #parts: TakeParts;
  readonly #stays: BoundedMap<Stay>;

  constructor(parts: TakeParts, maxBuckets: number) {
    this.#parts = parts;
    this.#stays = new BoundedMap(maxBuckets);
  }

  /** The next item to try; undefined where all others are known to be exhausted, or were tried. */
  next(level: Level, layout: Layout, tried: ReadonlySet<number>): number | undefined {
    const nowUs = this.#parts.clock.nowUs();
    const stay = this.#stays.get(level.bucket);
    if (tried.size === 0 && stay !== undefined && stay.layout === layout && nowUs < stay.untilUs && !this.#isOut(level, stay.shard, layout))
      return stay.shard;
    const open = Array.from({ length: shardCount(layout) }, (_, shard) => shard).filter(
      (shard) => !tried.has(shard) && !this.#isOut(level, shard, layout),
    );
    // Where all are known to be exhausted one is asked all the same, if none was: its answer is what the caller is told.
    const among = open.length > 0 ? open : tried.size === 0 ? [Math.floor(this.#parts.random() * shardCount(layout))] : [];
    if (among.length === 0) return undefined;
    const [one, other] = [this.#draw(among), this.#draw(among)];
    const shard = this.#missingUs(level, one, layout, nowUs) <= this.#missingUs(level, other, layout, nowUs) ? one : other;
    this.#stays.set(level.bucket, { layout, shard, untilUs: nowUs + STAY_US });
    return shard;
  }

  #draw(among: readonly number[]): number {
    return among[Math.floor(this.#parts.random() * among.length)] ?? 0;
  }

  #isOut(level: Level, shard: number, layout: Layout): boolean {
    return isExhausted(this.#parts, onShard(level, shard, layout), this.#parts.clock.nowUs());
  }

  /** How far an item is from full, by the limit that is furthest; one that nobody here has seen counts as full. */
  #missingUs(level: Level, shard: number, layout: Layout, nowUs: number): number {
    const seen = this.#parts.knowledge.seen(onShard(level, shard, layout).bucket);
    return Math.max(0, ...level.debits.map(({ limit }) => (seen?.limits.get(limit.name)?.tatUs ?? nowUs) - nowUs));
  }
}
