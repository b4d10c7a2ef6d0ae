import type { AbortSignalLike } from '@millrace/core';
import { AcquireAborted } from './errors.js';

/** Work that a signal may end. */
interface Abortable<T> {
  /** What the caller waits for: the work's result, or the abort. */
  readonly result: Promise<T>;
  /** Ends when nothing is left to be done, the undoing of what came too late included. */
  readonly ended: Promise<void>;
}

/**
 * Lets a signal end the wait for work that cannot be called back, a debit on the wire. Its result goes to exactly one:
 * to the caller, or, if the caller has left by then, to `undo`.
 */
export function abortable<T>(work: Promise<T>, signal: AbortSignalLike, undo: (late: T) => Promise<void>): Abortable<T> {
  let ended: Promise<void> = Promise.resolve();
  const result = new Promise<T>((resolve, reject) => {
    let isAborted = false;
    const abort = (): void => {
      isAborted = true;
      reject(new AcquireAborted(signal.reason));
    };
    signal.addEventListener('abort', abort, { once: true });
    // The listener goes in the same turn as the result is handed over: a signal in between would give away what is given back.
    const stopListening = (): void => signal.removeEventListener('abort', abort);
    ended = work.then(
      (value) => {
        stopListening();
        if (isAborted) return undo(value);
        return resolve(value);
      },
      (error: unknown) => {
        stopListening();
        reject(error);
      },
    );
  });
  return { result, ended };
}
