import { type BucketState, creditUs, debitUs, type Limit, timingOf } from '@millrace/core';
import { applyChanges, type Change } from './change.js';
import type { Level } from './level.js';
import type { TakeParts } from './take.js';

/** What a lease holds of one limit at one level. */
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

/** A lease's part at one level, and how it changes. */
export class Holding {
  readonly level: Level;
  readonly #held = new Map<string, HeldTokens>();

  readonly #kind: Held;

  constructor(level: Level, kind: Held) {
    this.level = level;
    this.#kind = kind;
    if (kind === 'nothing') return;
    for (const { limit, tokens, chargeUs } of level.debits) {
      this.#held.set(limit.name, { tokens, chargedUs: kind === 'counted' ? 0 : chargeUs });
    }
  }

  /**
   * Takes or gives back by limit, in one write, and returns the state after it; undefined where nothing was to be done.
   * Never gives back more than it holds, so that a level that was never charged is never credited.
   */
  async change(parts: TakeParts, deltas: ReadonlyMap<string, number>, deadlineMs: number): Promise<BucketState | undefined> {
    if (this.level.mode === 'bypass') return undefined;
    const changes = this.level.limits.flatMap((limit) => this.#changeOf(limit, deltas.get(limit.name) ?? 0));
    if (changes.length === 0) return undefined;
    // Noted before it is sent: a credit whose reply is lost must never be sent again.
    for (const change of changes) if (change.tokens < 0) this.#note(change);
    const state = await applyChanges(parts, this.level, changes, deadlineMs);
    for (const change of changes) if (change.tokens > 0) this.#note(change);
    return state;
  }

  /** Gives back all that is held. */
  async giveBack(parts: TakeParts, deadlineMs: number): Promise<void> {
    await this.change(parts, new Map([...this.#held].map(([limit, { tokens }]) => [limit, -tokens])), deadlineMs);
  }

  #changeOf(limit: Limit, delta: number): Change[] {
    const timing = timingOf(limit);
    if (delta > 0) return [{ limit, tokens: delta, chargeUs: this.#kind === 'counted' ? 0 : debitUs(timing, delta) }];
    const { tokens, chargedUs } = this.#held.get(limit.name) ?? NOTHING;
    const returned = Math.min(-delta, tokens);
    if (returned === 0) return [];
    // All of it gives back exactly what was charged, rounding and all; a part of it is rounded down.
    return [{ limit, tokens: -returned, chargeUs: returned === tokens ? chargedUs : Math.min(chargedUs, creditUs(timing, returned)) }];
  }

  #note({ limit, tokens, chargeUs }: Change): void {
    const held = this.#held.get(limit.name) ?? NOTHING;
    this.#held.set(limit.name, { tokens: held.tokens + tokens, chargedUs: held.chargedUs + (tokens > 0 ? chargeUs : -chargeUs) });
  }
}
