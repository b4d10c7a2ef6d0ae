import { greatestCommonDivisor, ValidationError } from '@millrace/core';
import type { Crew } from '../plan/crews.js';

/** What one worker runs: a share of the load, during a part of the test. */
export interface Assignment {
  readonly worker: number;
  /** Counts from 0: the parts of the test that follow one another. */
  readonly slice: number;
  /** The share, in k6's words: `0:1/3`. */
  readonly segment: string;
  /** All shares, the same for every worker of a slice, so that k6 gives each iteration to exactly one. */
  readonly sequence: string;
  /** How many workers share this slice. */
  readonly workers: number;
  /** The most users of the whole slice, where they follow the load. */
  readonly users?: number;
  /** Seconds after the start of the whole test. */
  readonly fromSec: number;
  readonly toSec: number;
  /** When to launch it. Before 0 for the first slice: a worker needs time to be there. */
  readonly launchAtSec: number;
}

export interface PlanRequest {
  /** In their order, each from where the one before it ends. */
  readonly crews: readonly Crew[];
  /** The longest that a worker can run; a longer test is handed on to a successor. Absent: without end. */
  readonly longestSec?: number;
  /** How long before it is needed a worker is launched. */
  readonly leadSec: number;
}

/**
 * Cuts a test into shares and parts. Every moment of the test is run by exactly one worker of every share: where a
 * worker's time would run out, or another number of workers is to go on, successors have been started ahead and take over on
 * the second.
 */
export function planWorkers({ crews, longestSec, leadSec }: PlanRequest): readonly Assignment[] {
  if (crews.length === 0) throw new ValidationError('crews', 'at least one', crews);
  if (longestSec !== undefined && !(longestSec > 0)) throw new ValidationError('longestSec', 'more than 0', longestSec);
  let slice = 0;
  return crews.flatMap((crew) => {
    const { workers } = crew;
    if (!Number.isSafeInteger(workers) || workers < 1 || workers > 1_000)
      throw new ValidationError('workers', 'a whole number from 1 to 1000', workers);
    const bounds = Array.from({ length: workers + 1 }, (_, at) => fraction(at, workers));
    return partsOf(crew, longestSec).flatMap(({ fromSec, toSec }) => {
      const part = { slice, sequence: bounds.join(','), workers, fromSec, toSec, launchAtSec: fromSec - leadSec };
      slice += 1;
      return Array.from({ length: workers }, (_, worker) => ({
        worker,
        ...part,
        segment: `${bounds[worker]}:${bounds[worker + 1]}`,
        ...(crew.users === undefined ? {} : { users: crew.users }),
      }));
    });
  });
}

/** What of a crew's time one set of workers can run: all of it, or even parts. */
function partsOf({ fromSec, toSec }: Crew, longestSec: number | undefined): readonly Pick<Crew, 'fromSec' | 'toSec'>[] {
  const durationSec = toSec - fromSec;
  if (!(durationSec > 0)) throw new ValidationError('durationSec', 'more than 0', durationSec);
  const parts = longestSec === undefined ? 1 : Math.ceil(durationSec / longestSec);
  const at = (part: number): number => (part === parts ? toSec : fromSec + (durationSec * part) / parts);
  return Array.from({ length: parts }, (_, part) => ({ fromSec: at(part), toSec: at(part + 1) }));
}

/** `at / of` in lowest terms, 0 and 1 as k6 writes them. */
function fraction(at: number, of: number): string {
  const divisor = greatestCommonDivisor(at, of);
  return at === 0 ? '0' : at === of ? '1' : `${at / divisor}/${of / divisor}`;
}
