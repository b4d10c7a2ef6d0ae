import {
  type BucketState,
  type BucketWrite,
  chargeMove,
  creditUs,
  debitUs,
  isStale,
  type Limit,
  type Move,
  StoreFailure,
  timingOf,
  ttlSecFor,
} from '@millrace/core';
import type { Level } from './level.js';
import { sendWrite } from './send.js';
import { type Charges, lengthenLife, MAX_WRITES, type TakeParts } from './take.js';

/** What a lease holds of one limit at one level. */
export interface Held {
  readonly tokens: number;
  /** What these tokens moved the arrival time on by, all debits and credits together. */
  readonly chargedUs: number;
}

const NOTHING: Held = { tokens: 0, chargedUs: 0 };

/** A change of one limit: tokens taken (above zero) or given back (below), and the time that they move. */
interface Change {
  readonly limit: Limit;
  readonly tokens: number;
  readonly chargeUs: number;
}

/** A lease's part at one level, and how it changes. */
export class Holding {
  readonly level: Level;
  readonly #held = new Map<string, Held>();

  /** `charges` is what was taken at this level; nothing where the level gave no answer. */
  constructor(level: Level, charges: Charges) {
    this.level = level;
    for (const { limit, tokens, chargeUs } of charges) this.#held.set(limit, { tokens, chargedUs: chargeUs });
  }

  /**
   * Takes or gives back by limit, in one write, and returns the state after it; undefined where nothing was to be done.
   * Never gives back more than it holds, so that a level that was never charged is never credited.
   */
  async change(parts: TakeParts, deltas: ReadonlyMap<string, number>, deadlineMs: number): Promise<BucketState | undefined> {
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
    if (delta > 0) return [{ limit, tokens: delta, chargeUs: debitUs(timing, delta) }];
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

/** Writes changes that no limit can refuse. A refusal only tells which form each limit needs. */
async function applyChanges(parts: TakeParts, level: Level, changes: readonly Change[], deadlineMs: number): Promise<BucketState> {
  let exact: { readonly state: BucketState | undefined } | undefined;
  for (let attempt = 1; attempt <= MAX_WRITES; attempt += 1) {
    const nowUs = parts.clock.nowUs();
    const seen = exact === undefined ? parts.knowledge.seen(level.bucket) : exact.state;
    const timings = changes.map(({ limit }) => timingOf(limit));
    const write: BucketWrite = {
      ref: level.ref,
      nowUs,
      ttlSec: ttlSecFor(timings, seen, nowUs),
      moves: changes.map((change) => moveFor(change, seen, exact !== undefined, nowUs)),
    };
    const outcome = await sendWrite(parts, write, deadlineMs);
    parts.knowledge.note(level.bucket, outcome.state);
    if (outcome.kind === 'written') {
      await lengthenLife(parts, level, outcome.state, deadlineMs);
      return outcome.state;
    }
    exact = { state: outcome.state };
    parts.stats.add('branchMisses');
  }
  throw new StoreFailure(
    'throttled',
    'no',
    `the bucket of "${level.entity}" on "${level.resource}" changed under ${MAX_WRITES} writes in a row`,
  );
}

function moveFor({ limit, tokens, chargeUs }: Change, seen: BucketState | undefined, isExact: boolean, nowUs: number): Move {
  const timing = timingOf(limit);
  const tatUs = seen?.limits.get(limit.name)?.tatUs;
  if (tokens > 0) return chargeMove(limit.name, timing, isStale(timing, tatUs, nowUs) ? 'idle' : 'busy', tokens, chargeUs, nowUs);
  // Somebody took from this limit before, so it is there, unless the item has expired since.
  if (isExact && tatUs === undefined) return { form: 'revive', limit: limit.name, tokens: -tokens };
  return { form: 'credit', limit: limit.name, tokens: -tokens, chargeUs };
}
