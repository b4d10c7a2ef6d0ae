import type { CaseName } from '../contestants/contestant.js';
import type { Row } from '../measure/cell.js';
import { figure } from '../render/figure.js';
import { NOT_MEASURED, type Outcome } from '../render/outcome.js';
import type { Exactness } from './exactness.js';
import type { Probing } from './probing.js';

/** What a run measured that promises are made of. */
export interface Evidence {
  readonly rows: readonly Row[];
  readonly exactness?: Exactness;
  readonly probing?: Probing;
}

const CALLERS = 64;

/** Every promise about `acquire`, with what was measured of it. All rates and costs are ratios to the bare SDK in the same run. */
export function promisesOf({ rows, exactness, probing }: Evidence): readonly Outcome[] {
  const at = (caseName: CaseName, roundTripMs: number, contestant: string, callers = CALLERS): Row | undefined =>
    rows.find(
      (row) => row.caseName === caseName && row.callers === callers && row.roundTripMs === roundTripMs && row.contestant === contestant,
    );
  const ours = (caseName: CaseName, roundTripMs: number): Row | undefined =>
    at(caseName, roundTripMs, 'millrace-lean') ?? at(caseName, roundTripMs, 'millrace');
  const ratio = (caseName: CaseName, roundTripMs: number, bareCallers: number): number | undefined => {
    const [mine, bare] = [ours(caseName, roundTripMs), at(caseName, roundTripMs, 'bare-sdk', bareCallers)];
    return mine === undefined || bare === undefined ? undefined : mine.perSecond / bare.perSecond;
  };
  const hot = ours('hot', 5);
  const [lean, bare] = [at('distinct', 0, 'millrace-lean'), at('distinct', 0, 'bare-sdk')];
  const cpuShare = lean === undefined || bare === undefined ? undefined : lean.cpuUsPerCall / bare.cpuUsPerCall;
  return [
    atLeast('hot key, 64 callers, 5 ms: acquires per write >= 10', hot === undefined ? undefined : 1 / hot.writeUnitsPerCall, 10),
    atLeast('hot key, 64 callers, 5 ms: rate of the bare SDK loop, one write after the other, x >= 10', ratio('hot', 5, 1), 10),
    onlySaid(
      'hot key, 64 callers, 5 ms: rate of 64 such loops at once x (64 callers get 64 answers in a round trip, no more)',
      ratio('hot', 5, CALLERS),
    ),
    outcome('hot key: order of admission is the order of calls', hot, ({ inversions }) => [`${inversions} out of order`, inversions === 0]),
    outcome('hot key with a limit that holds: admitted <= capacity + rate x time, in order', exactness, (it) => [
      `${it.admitted} of ${it.bound} allowed, ${it.rejected} refused, ${it.inversions} out of order`,
      it.admitted <= it.bound && it.inversions === 0,
    ]),
    atLeast('exhausted key, 64 callers, 5 ms: rate of 64 bare SDK loops x >= 100', ratio('exhausted', 5, CALLERS), 100),
    outcome('exhausted key: no request until the refill, then one', probing, (it) => [
      `${it.requestsBetween} requests in ${figure(it.callsBetween)} calls, then ${it.requestsAtRefill.join(', ') || 'none'}`,
      it.requestsBetween === 0 && it.requestsAtRefill.length > 0 && it.requestsAtRefill.every((requests) => requests === 1),
    ]),
    outcome('distinct keys, lean transport: CPU of the bare SDK x <= 0.2', cpuShare, (it) => [figure(it), it <= 0.2]),
  ];
}

function atLeast(promise: string, measured: number | undefined, bound: number): Outcome {
  return outcome(promise, measured, (value) => [figure(value), value >= bound]);
}

/** A figure that nothing is promised of, because a reader will ask for it. */
function onlySaid(promise: string, measured: number | undefined): Outcome {
  return { promise, measured: measured === undefined ? NOT_MEASURED : figure(measured), kept: undefined };
}

function outcome<T>(promise: string, evidence: T | undefined, judge: (evidence: T) => readonly [string, boolean]): Outcome {
  if (evidence === undefined) return { promise, measured: NOT_MEASURED, kept: undefined };
  const [measured, kept] = judge(evidence);
  return { promise, measured, kept };
}
