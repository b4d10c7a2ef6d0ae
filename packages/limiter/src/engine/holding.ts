import { type BucketState, creditUs, debitUs, type Limit, shardCount, shardTiming, timingOf } from '@millrace/core';
import { applyChanges, type Change } from './change.js';
import type { Level } from './level.js';
import { fitsOneShard, onAllShards } from './shard-level.js';
import type { TakeParts } from './take.js';

/** What a lease holds of one limit on one item. */
interface HeldTokens {
  readonly tokens: number;
  /**
   * What these tokens are worth in time, debits rounded up and credits down. What an insisting write moved the arrival
   * time on by beyond that only made up for a lag: giving it back would mint.
   */
  readonly chargedUs: number;
}

const NOTHING: HeldTokens = { tokens: 0, chargedUs: 0 };

/**
 * What happened at a level: its tokens were taken; they were only counted, without moving its arrival time; or nothing
 * is known of it, and so nothing is held there.
 */
export type Held = 'taken' | 'counted' | 'nothing';

/** A lease's part at one level, and how it changes: on the one item of the bucket that it was taken from, or on all. */
export class Holding {
  readonly level: Level;
  readonly #kind: Held;
  readonly #places: readonly Level[];
  #made: Share[] | undefined;

  /** `places` are the items that something was taken from. */
  constructor(level: Level, kind: Held, places: readonly Level[] = [level]) {
    this.level = level;
    this.#kind = kind;
    this.#places = places;
  }

  /** Made only where something changes: most leases keep what they took. */
  get #shares(): Share[] {
    this.#made ??= this.#places.map((place) => new Share(place, this.#kind));
    return this.#made;
  }

  /**
   * Takes or gives back by limit, in one write for each item, and returns the states after it. Never gives back more than
   * it holds, so that a level that was never charged is never credited.
   */
  async change(
    parts: TakeParts,
    deltas: ReadonlyMap<string, number>,
    deadlineMs: number,
  ): Promise<readonly { readonly level: Level; readonly state: BucketState }[]> {
    if (this.level.mode === 'bypass') return [];
    this.#widen(deltas);
    const dealt = this.#dealt(deltas);
    const outcomes = await Promise.allSettled(
      this.#shares.map(async (share, index) => {
        const state = await share.change(parts, dealt[index] ?? new Map(), deadlineMs);
        return state === undefined ? [] : [{ level: share.level, state }];
      }),
    );
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
  }

  /** Gives back all that is held. */
  async giveBack(parts: TakeParts, deadlineMs: number): Promise<void> {
    const limits = this.level.limits.map(({ name }): [string, number] => [name, Number.NEGATIVE_INFINITY]);
    await this.change(parts, new Map(limits), deadlineMs);
  }

  /**
   * What is taken on top and is more than an item's share is owed by all items, as a request of that size would be taken
   * from all: one alone would owe it for as many times longer, and the others would go on as if nobody owed anything.
   */
  #widen(deltas: ReadonlyMap<string, number>): void {
    const [only] = this.#shares;
    if (only === undefined || this.#shares.length > 1) return;
    const { layout, ref } = only.level;
    if (shardCount(layout) === 1) return;
    const debits = this.level.limits.flatMap((limit): Level['debits'] => {
      const [tokens, timing] = [deltas.get(limit.name) ?? 0, timingOf(limit)];
      return tokens > 0 ? [{ limit, timing, tokens, chargeUs: debitUs(timing, tokens) }] : [];
    });
    if (fitsOneShard({ debits }, layout)) return;
    for (const place of onAllShards({ ...this.level, debits: [] }, layout)) {
      if (place.ref.shard !== ref.shard) this.#shares.push(new Share(place, 'nothing'));
    }
  }

  /** What is given back comes from where it is held; what is taken on top is dealt out evenly. */
  #dealt(deltas: ReadonlyMap<string, number>): readonly ReadonlyMap<string, number>[] {
    const [first, ...others] = this.#shares;
    if (first === undefined || others.length === 0) return [deltas];
    const dealt = this.#shares.map(() => new Map<string, number>());
    for (const [limit, delta] of deltas) {
      let left = delta;
      for (const [index, share] of this.#shares.entries()) {
        const even = Math.ceil(left / (this.#shares.length - index));
        const part = delta > 0 ? even : -Math.min(-left, share.tokensOf(limit));
        // All of it is also what is left of a token.
        dealt[index]?.set(limit, delta === Number.NEGATIVE_INFINITY ? delta : part);
        left -= part;
      }
    }
    return dealt;
  }
}

/** A lease's part on one item. */
class Share {
  readonly level: Level;
  readonly #kind: Held;
  readonly #held = new Map<string, HeldTokens>();

  constructor(level: Level, kind: Held) {
    this.level = level;
    this.#kind = kind;
    if (kind === 'nothing') return;
    for (const { limit, tokens, chargeUs } of level.debits) {
      this.#held.set(limit.name, { tokens, chargedUs: kind === 'counted' ? 0 : chargeUs });
    }
  }

  tokensOf(limit: string): number {
    return (this.#held.get(limit) ?? NOTHING).tokens;
  }

  async change(parts: TakeParts, deltas: ReadonlyMap<string, number>, deadlineMs: number): Promise<BucketState | undefined> {
    const changes = this.level.limits.flatMap((limit) => this.#changeOf(limit, deltas.get(limit.name) ?? 0));
    if (changes.length === 0) return undefined;
    // Noted before it is sent: a credit whose reply is lost must never be sent again.
    for (const change of changes) if (change.tokens <= 0) this.#note(change);
    const state = await applyChanges(parts, this.level, changes, deadlineMs);
    for (const change of changes) if (change.tokens > 0) this.#note(change);
    return state;
  }

  #changeOf(limit: Limit, delta: number): Change[] {
    const timing = shardTiming(timingOf(limit), shardCount(this.level.layout));
    if (delta > 0) return [{ limit, tokens: delta, chargeUs: this.#kind === 'counted' ? 0 : debitUs(timing, delta) }];
    const { tokens, chargedUs } = this.#held.get(limit.name) ?? NOTHING;
    const returned = Math.min(-delta, tokens);
    // A small request that was charged to all items has left no whole token on some of them, but time on each.
    if (returned === 0 && (chargedUs === 0 || delta !== Number.NEGATIVE_INFINITY)) return [];
    // All of it gives back exactly what was charged, rounding and all; a part of it is rounded down.
    return [{ limit, tokens: -returned, chargeUs: returned === tokens ? chargedUs : Math.min(chargedUs, creditUs(timing, returned)) }];
  }

  #note({ limit, tokens, chargeUs }: Change): void {
    const held = this.#held.get(limit.name) ?? NOTHING;
    this.#held.set(limit.name, { tokens: held.tokens + tokens, chargedUs: held.chargedUs + (tokens > 0 ? chargeUs : -chargeUs) });
  }
}
