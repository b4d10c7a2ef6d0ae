import type { Clock, Sleep } from '@millrace/core';
import execution from 'k6/execution';

/** k6's clock has whole milliseconds. */
export const CLOCK: Clock = { nowMs: () => Date.now() };

/** Waits without holding up the other callers of the user. */
export const sleep: Sleep = (ms, signal) =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    // An iteration of k6 lasts as long as its timers, so one that nobody waits for must not stay.
    const timer = setTimeout(end, Math.max(0, ms));
    signal?.addEventListener('abort', end, { once: true });
  });

let running: typeof execution.instance | undefined;

/** Milliseconds since the run began, with fractions: for how long things take. */
export function elapsedMs(): number {
  // k6 gives it to turns only, not while a script is loaded; to get it costs ten times what it costs to ask it.
  running ??= execution.instance;
  return running.currentTestRunDuration;
}
