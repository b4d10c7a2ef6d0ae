import { MillraceError, type Sleep } from '@millrace/core';
import type { ItemTable } from '@millrace/limiter/admin';

/** What Lambda tells about an invocation, as far as it is asked. */
export interface InvocationContext {
  getRemainingTimeInMillis(): number;
  readonly logGroupName?: string;
  readonly logStreamName?: string;
}

/** So much is kept for the answer: three tries of it, and what a last request may overrun. */
const ANSWER_MS = 15_000;
/** The share of the rest that is kept for putting things back. */
const RESTORE_SHARE = 0.4;

/** The time of the invocation is up. Nothing more is sent to the table; what was sent stays. */
class OutOfTime extends MillraceError {
  override readonly name = 'OutOfTime';

  constructor(what: string) {
    super('ABORTED', `the function's time was up before ${what}; give it a longer timeout, or divide the manifest`);
  }
}

/**
 * How long one invocation may do what. Its last part is for the answer, which must be sent whatever happens, and the one
 * before that for putting back what a failed apply has changed.
 */
export class TimeBudget {
  readonly #context: InvocationContext;
  readonly #answerMs: number;
  readonly #restoreMs: number;
  #isRestoring = false;

  constructor(context: InvocationContext) {
    this.#context = context;
    const totalMs = context.getRemainingTimeInMillis();
    this.#answerMs = Math.min(ANSWER_MS, totalMs / 3);
    this.#restoreMs = (totalMs - this.#answerMs) * RESTORE_SHARE;
  }

  /** How long until the part that is running now ends. */
  get leftMs(): number {
    return this.#context.getRemainingTimeInMillis() - this.#answerMs - (this.#isRestoring ? 0 : this.#restoreMs);
  }

  /** From now on things are put back. */
  beginRestoring(): void {
    this.#isRestoring = true;
  }

  /** Ends what takes too long all the same, so that the answer is sent. What goes on is kept from the table by {@link guarded}. */
  async within<T>(what: string, sleep: Sleep, work: Promise<T>): Promise<T> {
    const done = new AbortController();
    const late = sleep(this.#context.getRemainingTimeInMillis() - this.#answerMs, done.signal).then(() => {
      throw new OutOfTime(what);
    });
    // Whichever is second is of no interest any more, and must not count as unhandled.
    late.catch(() => undefined);
    work.catch(() => undefined);
    try {
      return await Promise.race([work, late]);
    } finally {
      done.abort();
    }
  }

  /** The same table, but for requests that there is no time for: they are not sent, also not by an invocation that was given up. */
  guarded(table: ItemTable): ItemTable {
    const check = (): void => {
      if (this.leftMs <= 0) throw new OutOfTime('all was written');
    };
    const timed =
      <A extends unknown[], T>(request: (...args: A) => Promise<T>) =>
      async (...args: A): Promise<T> => {
        check();
        return request(...args);
      };
    return {
      get: timed((keys) => table.get(keys)),
      query: timed((query) => table.query(query)),
      transact: timed((writes) => table.transact(writes)),
      deleteAll: timed((keys) => table.deleteAll(keys)),
      scan: timed((prefix, after, pageSize) => table.scan(prefix, after, pageSize)),
      indexed: timed((name, after, pageSize) => table.indexed(name, after, pageSize)),
    };
  }
}
