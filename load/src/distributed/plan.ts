import { greatestCommonDivisor, ValidationError } from '@millrace/core';

/** What one worker runs: a share of the load, during a part of the test. */
export interface Assignment {
  readonly worker: number;
  /** Counts from 0: the parts of the test that follow one another. */
  readonly slice: number;
  /** The share, in k6's words: `0:1/3`. */
  readonly segment: string;
  /** All shares, the same for every worker, so that k6 gives each iteration to exactly one. */
  readonly sequence: string;
  /** Seconds after the start of the whole test. */
  readonly fromSec: number;
  readonly toSec: number;
  /** When to launch it. Before 0 for the first slice: a worker needs time to be there. */
  readonly launchAtSec: number;
}

export interface PlanRequest {
  readonly workers: number;
  readonly durationSec: number;
  /** The longest that a worker can run; a longer test is handed on to a successor. Absent: without end. */
  readonly longestSec?: number;
  /** How long before it is needed a worker is launched. */
  readonly leadSec: number;
}

/**
 * Cuts a test into shares and parts. Every moment of the test is run by exactly one worker of every share: where a
 * worker's time would run out, its successor has been started ahead and takes over on the second.
 */
export function planWorkers({ workers, durationSec, longestSec, leadSec }: PlanRequest): readonly Assignment[] {
  if (!Number.isSafeInteger(workers) || workers < 1 || workers > 1_000)
    throw new ValidationError('workers', 'a whole number from 1 to 1000', workers);
  if (!(durationSec > 0)) throw new ValidationError('durationSec', 'more than 0', durationSec);
  if (longestSec !== undefined && !(longestSec > 0)) throw new ValidationError('longestSec', 'more than 0', longestSec);
  const slices = longestSec === undefined ? 1 : Math.ceil(durationSec / longestSec);
  const sliceSec = durationSec / slices;
  const bounds = Array.from({ length: workers + 1 }, (_, at) => fraction(at, workers));
  const assignments: Assignment[] = [];
  for (let slice = 0; slice < slices; slice++) {
    for (let worker = 0; worker < workers; worker++) {
      const fromSec = slice * sliceSec;
      assignments.push({
        worker,
        slice,
        segment: `${bounds[worker]}:${bounds[worker + 1]}`,
        sequence: bounds.join(','),
        fromSec,
        toSec: slice === slices - 1 ? durationSec : fromSec + sliceSec,
        launchAtSec: fromSec - leadSec,
      });
    }
  }
  return assignments;
}

/** `at / of` in lowest terms, 0 and 1 as k6 writes them. */
function fraction(at: number, of: number): string {
  const divisor = greatestCommonDivisor(at, of);
  return at === 0 ? '0' : at === of ? '1' : `${at / divisor}/${of / divisor}`;
}
