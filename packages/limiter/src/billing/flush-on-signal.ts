import type { FlushSignal } from './billing-options.js';

type Flush = () => Promise<void>;

/** What is to be flushed at each signal, by all limiters of the process: it must not end before the last of them is done. */
const hooks = new Map<FlushSignal, { readonly flushes: Set<Flush>; readonly listener: () => void }>();

/**
 * Flushes once at each of the signals, and then lets the signal end the process as it would have: a listener takes that
 * away from Node. Where somebody else listens, ending is theirs. A second signal does not wait.
 *
 * @returns what takes it back
 */
export function flushOnSignals(signals: readonly FlushSignal[], flush: Flush): () => void {
  for (const signal of signals) hookOf(signal).add(flush);
  return () => {
    for (const signal of signals) {
      const hook = hooks.get(signal);
      hook?.flushes.delete(flush);
      if (hook?.flushes.size !== 0) continue;
      process.off(signal, hook.listener);
      hooks.delete(signal);
    }
  };
}

function hookOf(signal: FlushSignal): Set<Flush> {
  const known = hooks.get(signal);
  if (known !== undefined) return known.flushes;
  const flushes = new Set<Flush>();
  const listener = (): void => {
    hooks.delete(signal);
    // Ours comes first and is gone by now; what is left are others.
    const isOurs = process.listenerCount(signal) === 0;
    // What cannot be written has told so already; the process ends all the same.
    void Promise.allSettled([...flushes].map((flush) => flush())).then(() => {
      if (isOurs) process.kill(process.pid, signal);
    });
  };
  hooks.set(signal, { flushes, listener });
  process.prependOnceListener(signal, listener);
  return flushes;
}
