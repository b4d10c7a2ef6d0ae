import type { FlushSignal } from './billing-options.js';

/** The process that signals come to. */
export type SignalTarget = Pick<NodeJS.Process, 'once' | 'off' | 'listenerCount' | 'kill' | 'pid'>;

/**
 * Flushes once at each of the signals, and then lets the signal end the process as it would have: a listener takes that
 * away from Node. Where somebody else listens, ending is theirs.
 *
 * @returns what takes the listeners away
 */
export function flushOnSignals(signals: readonly FlushSignal[], flush: () => Promise<void>, target: SignalTarget = process): () => void {
  const listeners = signals.map((signal) => {
    const listener = (): void => {
      // What fails has told so already; the process ends all the same.
      const end = (): void => {
        if (target.listenerCount(signal) === 0) target.kill(target.pid, signal);
      };
      flush().then(end, end);
    };
    target.once(signal, listener);
    return [signal, listener] as const;
  });
  return () => {
    for (const [signal, listener] of listeners) target.off(signal, listener);
  };
}
