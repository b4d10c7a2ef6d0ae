import type { WindowChange, WindowStore } from '@millrace/ledger';

const WRITE_FAILS = 0.0006;
const REPLY_IS_LOST = 0.0006;
const MOST_WAITS = 4;

/** A store as a function meets it that dies after so many writes: some of them fail, and of some only the reply is lost. */
export class TroubledStore implements WindowStore {
  readonly #store: WindowStore;
  readonly #random: () => number;
  readonly #met: { failedWrites: number; lostReplies: number };
  #left: number;
  /** How many writes have reached the table. */
  written = 0;

  constructor(store: WindowStore, random: () => number, met: { failedWrites: number; lostReplies: number }, life: number) {
    this.#store = store;
    this.#random = random;
    this.#met = met;
    this.#left = life;
  }

  /** Whether a write was wanted after the last one of its life. */
  get isDead(): boolean {
    return this.#left < 0;
  }

  async widen(change: WindowChange): Promise<'written' | 'known'> {
    this.#left -= 1;
    if (this.isDead) throw new Error('the function has died');
    // Requests overtake each other.
    for (let waits = Math.floor(this.#random() * MOST_WAITS); waits > 0; waits -= 1) await null;
    if (this.#random() < WRITE_FAILS) {
      this.#met.failedWrites += 1;
      throw new Error('the table is busy');
    }
    const answer = await this.#store.widen(change);
    this.written += 1;
    if (this.#random() >= REPLY_IS_LOST) return answer;
    this.#met.lostReplies += 1;
    throw new Error('the reply is lost');
  }
}
