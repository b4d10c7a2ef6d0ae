import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerPlace } from './run-worker.js';

/** How long after its planned end k6 may finish its last iterations. */
const GRACE_MS = 35_000;

/**
 * The place as the environment tells it: `K6_BIN` is the program, `MILLRACE_SCENARIOS` the folder of the bundles.
 *
 * @param folder Where the bundles are when the environment does not say.
 */
export function placeOf(environment: NodeJS.ProcessEnv, folder: string, signal: AbortSignal): WorkerPlace {
  const scenarios = environment['MILLRACE_SCENARIOS'] || folder;
  return {
    k6: environment['K6_BIN'] || 'k6',
    bundleOf: ({ scenario, mode }) => `${scenarios}/${scenario}.${mode}.js`,
    environment,
    nowMs: Date.now,
    sleep: (delayMs, ending) => sleep(delayMs, undefined, ending === undefined ? {} : { signal: ending }),
    graceMs: GRACE_MS,
    signal,
  };
}
