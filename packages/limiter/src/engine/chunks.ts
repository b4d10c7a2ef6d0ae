import { applyChanges } from './change.js';
import { Chunk, type Tokens } from './chunk.js';
import { Ending } from './ending.js';
import type { Level } from './level.js';
import type { Withdrawal } from './stock.js';
import type { TakeParts } from './take.js';

/** So many credits are on their way at once when a limiter is closed. */
const MOST_AT_ONCE = 32;

/**
 * The beginning and the end of chunks. What is left of one is given back exactly once: when its time is over, when its
 * limits have changed, when its bucket is forgotten, or when the limiter is closed. A credit whose reply is lost is not
 * sent again, and one that fails is not mourned: the tokens flow back at the limit's rate.
 */
export class Chunks {
  readonly #parts: TakeParts;
  readonly #track: <T>(work: Promise<T>) => Promise<T>;
  readonly #timers = new WeakMap<Chunk, Ending<'closed'>>();

  constructor(parts: TakeParts, track: <T>(work: Promise<T>) => Promise<T>) {
    this.#parts = parts;
    this.#track = track;
  }

  begin(level: Level, untilMs: number): Chunk {
    const chunk = new Chunk(level, untilMs);
    const timer = new Ending<'closed'>();
    this.#timers.set(chunk, timer);
    void this.#parts.sleep(Math.max(0, untilMs - this.#parts.clock.nowMs()), timer).then(() => {
      if (!timer.aborted) this.end([chunk]);
    });
    return chunk;
  }

  isLive(chunk: Chunk): boolean {
    return chunk.isOpen && this.#parts.clock.nowMs() < chunk.untilMs;
  }

  /** Ends chunks, and gives back what is left of them behind the caller's back. */
  end(chunks: readonly Chunk[]): void {
    for (const chunk of chunks) this.#credit(chunk, this.#close(chunk));
  }

  /** Puts back what was withdrawn for a request that was refused; what a chunk does not take any more is credited. */
  putBack(parts: Withdrawal['parts']): void {
    for (const { chunk, part } of parts) {
      const isBack = chunk.putBack(part);
      if (!isBack) this.#credit(chunk, [part]);
    }
  }

  /** Ends chunks, and gives back what is left of them, several at once, as far as the time of one call suffices. */
  async giveBack(chunks: readonly Chunk[]): Promise<void> {
    const deadlineMs = this.#parts.newDeadlineMs();
    const closed = chunks.map((chunk) => [chunk, this.#close(chunk)] as const).values();
    const worker = async (): Promise<void> => {
      for (const [chunk, left] of closed) {
        if (this.#parts.clock.nowMs() <= deadlineMs) await this.#send(chunk, left, deadlineMs);
      }
    };
    await Promise.all(Array.from({ length: MOST_AT_ONCE }, worker));
  }

  #close(chunk: Chunk): readonly Tokens[] {
    this.#timers.get(chunk)?.end('closed');
    return chunk.close();
  }

  #credit(chunk: Chunk, left: readonly Tokens[]): void {
    if (left.length > 0) void this.#track(this.#send(chunk, left, this.#parts.newDeadlineMs()));
  }

  async #send({ level }: Chunk, left: readonly Tokens[], deadlineMs: number): Promise<void> {
    const changes = level.limits.flatMap((limit) => {
      const part = left.find((candidate) => candidate.limit === limit.name);
      return part === undefined || part.tokens === 0 ? [] : [{ limit, tokens: -part.tokens, chargeUs: part.chargedUs }];
    });
    if (changes.length === 0) return;
    try {
      await applyChanges(this.#parts, level, changes, deadlineMs);
      this.#parts.stats.add(
        'returned',
        changes.reduce((sum, { tokens }) => sum - tokens, 0),
      );
    } catch {
      // Whoever took from the chunk has what it took, and nobody waits for this.
    }
  }
}
