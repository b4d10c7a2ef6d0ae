import { figure } from '../render/figure.js';
import { NOT_MEASURED, type Outcome } from '../render/outcome.js';
import type { ServerKind } from '../servers/site.js';
import type { Cell } from './cell.js';
import type { LagRow } from './lag/measure-lag.js';
import { lagPromise } from './lag/report.js';
import { type Row, rowLike } from './row.js';

const LATENCY_MS = 20;
const MEBIBYTE = 1_048_576;

/** Whose figures are judged: the engine's, as it is the real thing, and the stub's, as it holds nobody back, the plugin's way neither. */
const SERVERS: readonly ServerKind[] = ['engine', 'stub'];

/**
 * Every promise about the ledger's pace, with what was measured of it. That the totals are right is none: without that there
 * are no rows. Paces are those of the fastest runs: what else goes on on a machine makes a run slower, never faster, and the
 * shorter side the more so.
 */
export function ledgerPromises(rows: readonly Row[], lag?: LagRow): readonly Outcome[] {
  const at = (cell: Pick<Cell, 'scenario' | 'concurrency'> & Partial<Cell>): Row | undefined =>
    rowLike(rows, { server: 'engine', latencyMs: LATENCY_MS, side: 'millrace', ...cell });
  const growth = (from: Row | undefined, to: Row | undefined): number | undefined =>
    from === undefined || to === undefined ? undefined : (to.peakRssBytes - from.peakRssBytes) / MEBIBYTE;
  const ratio = (fast: Row | undefined, slow: Row | undefined): number | undefined =>
    fast === undefined || slow === undefined ? undefined : fast.fastestPerSecond / slow.fastestPerSecond;
  const rollUps = { scenario: 'roll-ups', concurrency: 50 };
  const pipeline = { scenario: 'pipeline', concurrency: 50 };
  return [
    ...SERVERS.map((server) =>
      outcome(
        `24 hourly roll-ups, 20 ms, ${server}: side by side x in sequence >= 8`,
        ratio(at({ ...rollUps, server }), at({ ...rollUps, server, concurrency: 1 })),
        (times) => times >= 8,
      ),
    ),
    ...SERVERS.map((server) =>
      outcome(
        `pipeline of 1,000 changes, 20 ms, 50 at once, ${server}: rate of one mark for each record x >= 10`,
        ratio(at({ ...pipeline, server }), at({ ...pipeline, server, side: 'plugin' })),
        (times) => times >= 10,
      ),
    ),
    outcome(
      'pipeline of 1,000 changes: requests, one for each of 24 hours, a day, a week and a month, = 27',
      at(pipeline)?.requests,
      (requests) => requests === 27,
    ),
    outcome(
      'memory, 1,000 windows, 20 ms: MB that 100 at once take more than 10 < 50',
      growth(at({ scenario: 'scattered-1000', concurrency: 10 }), at({ scenario: 'scattered-1000', concurrency: 100 })),
      (megabytes) => megabytes < 50,
    ),
    lagPromise(lag),
  ];
}

function outcome(promise: string, measured: number | undefined, isKept: (measured: number) => boolean): Outcome {
  return measured === undefined
    ? { promise, measured: NOT_MEASURED, kept: undefined }
    : { promise, measured: figure(measured), kept: isKept(measured) };
}
