import { namesOf, readOptions, wholesOf } from '../arguments.js';
import type { CaseName } from '../contestants/contestant.js';
import type { Cell } from '../measure/cell.js';
import { MEASURE_OPTIONS, MEASURE_USAGE, type MeasureOptions, measureOptions } from '../measure/measure-options.js';

const CASES: readonly CaseName[] = ['distinct', 'hot', 'exhausted', 'cascade'];
const MAX_CALLERS = 1_024;

/** What `pnpm bench acquire` is to measure, and where its results go. */
export interface AcquireOptions extends MeasureOptions {
  readonly cells: readonly Cell[];
  readonly check: boolean;
  readonly json: boolean;
  readonly markdown?: string;
  readonly svg?: string;
}

export const ACQUIRE_USAGE = `Usage: pnpm bench acquire [options]

Asks for tokens, as fast as callers are answered, of Millrace and of others in the same run.

  --case a,b          some of ${CASES.join(',')} (all)
  --callers 1,64      how many ask at once (1,16,64,256)
  --round-trip 0,5    milliseconds that a network adds, there and back (0,5)
${MEASURE_USAGE}  --quick             0.2 seconds, one repetition, 1 and 64 callers: about three minutes
  --check             only what the project promises, and exit 1 if one of its figures is missed;
                      without it such a figure is shown as FAILED, and the exit code is 0
  --json              one JSON document on stdout
  --markdown FILE     write the tables
  --svg FILE          write the plot

Exit code: 0 done, 1 a figure was missed (--check), 2 wrong arguments.
`;

/** What the promises are made of: the cells that `--check` measures unless others are named. */
export const PROMISED: readonly Cell[] = [
  // CPU of the client is seen best where the server is no bottleneck: what comes seldom costs a look at the sockets each time.
  { caseName: 'distinct', callers: 64, roundTripMs: 0, server: 'stub' },
  { caseName: 'hot', callers: 1, roundTripMs: 5 },
  { caseName: 'hot', callers: 64, roundTripMs: 5 },
  { caseName: 'exhausted', callers: 64, roundTripMs: 5 },
];

export function readAcquireOptions(args: readonly string[]): AcquireOptions {
  const given = readOptions(args, {
    ...MEASURE_OPTIONS,
    case: { type: 'string' },
    callers: { type: 'string' },
    'round-trip': { type: 'string' },
    check: { type: 'boolean' },
    json: { type: 'boolean' },
    markdown: { type: 'string' },
    svg: { type: 'string' },
  });
  const { quick = false, check = false } = given;
  return {
    ...measureOptions(given),
    cells: check && given.case === undefined ? PROMISED : cellsOf(given, quick),
    check,
    json: given.json ?? false,
    ...(given.markdown === undefined ? {} : { markdown: given.markdown }),
    ...(given.svg === undefined ? {} : { svg: given.svg }),
  };
}

function cellsOf(
  given: { readonly case?: string; readonly callers?: string; readonly 'round-trip'?: string },
  quick: boolean,
): readonly Cell[] {
  const callers = wholesOf('callers', given.callers, quick ? [1, 64] : [1, 16, 64, 256], 1, MAX_CALLERS);
  const roundTripsMs = wholesOf('round-trip', given['round-trip'], [0, 5], 0, 1_000);
  return namesOf('case', given.case, CASES).flatMap((caseName) =>
    roundTripsMs.flatMap((roundTripMs) => callers.map((count) => ({ caseName, callers: count, roundTripMs }))),
  );
}
