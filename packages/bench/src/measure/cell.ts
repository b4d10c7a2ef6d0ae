import { randomUUID } from 'node:crypto';
import type { CaseName } from '../contestants/contestant.js';
import { median } from '../figures/percentile.js';
import type { ClientProcess } from '../processes/client-process.js';
import type { ContestantName, Measurement } from '../processes/protocol.js';
import type { Roster } from '../processes/roster.js';
import type { ServerKind, Site } from '../servers/site.js';

/** One line of what is measured: a case, how many ask at once, and how far away the table is. */
export interface Cell {
  readonly caseName: CaseName;
  readonly callers: number;
  readonly roundTripMs: number;
  /** What answers. @default - what the run says */
  readonly server?: ServerKind;
}

/** What one contestant did in a cell: medians of its repetitions, and shares over all of them. */
export interface Row extends Cell {
  readonly contestant: ContestantName;
  readonly perSecond: number;
  readonly admittedPerSecond: number;
  readonly cpuUsPerCall: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly requestsPerCall: number;
  readonly writeUnitsPerCall: number;
  readonly readUnitsPerCall: number;
  /** Admissions out of the order of calls, over all repetitions. */
  readonly inversions: number;
}

/** How long and how often each runs. */
export interface Pace {
  readonly seconds: number;
  /** Before the first case: compiling takes thousands of calls, and would be measured. */
  readonly warmupSeconds: number;
  readonly repetitions: number;
}

/** Fewer than this would let callers of one process meet their own keys too soon. */
const DISTINCT_KEYS = 256;

function keysOf({ caseName, callers }: Cell): number {
  return caseName === 'distinct' || caseName === 'cascade' ? Math.max(DISTINCT_KEYS, callers) : 1;
}

/** Measures all who take part in one cell, in turns (A B C, A B C), so that a busy moment of the machine hits all alike. */
export async function measureCell(cell: Cell, roster: Roster, site: Site, pace: Pace, step: () => void): Promise<Row[]> {
  const names = await prepareAll(cell, roster, site);
  const runs = new Map<ContestantName, Measurement[]>(names.map((name) => [name, []]));
  await inTurns(names, async (name) => void (await runOnce(client(roster, name), cell.callers, pace.warmupSeconds)));
  for (let repetition = 0; repetition < pace.repetitions; repetition += 1) {
    await inTurns(names, async (name) => {
      runs.get(name)?.push(await runOnce(client(roster, name), cell.callers, pace.seconds));
      step();
    });
  }
  await inTurns(names, async (name) => void (await client(roster, name).order({ op: 'dispose' })));
  return names.map((name) => rowOf(cell, name, runs.get(name) ?? []));
}

/** Opens every contestant on a table of its own; a peer in Python that cannot take part is dropped. */
async function prepareAll(cell: Cell, roster: Roster, site: Site): Promise<ContestantName[]> {
  const { endpoint, region, credentials } = site;
  const names: ContestantName[] = [];
  for (const [name, process] of [...roster.clients]) {
    // It needs more of DynamoDB than the stub speaks; it takes part where there is an engine.
    if (name === 'zae-limiter' && site.server === 'stub') continue;
    const world = { endpoint, region, credentials, table: `bench-${randomUUID()}`, caseName: cell.caseName, keys: keysOf(cell) };
    const refusal = await prepared(process.order({ op: 'prepare', contestant: name, world }), name);
    if (refusal === undefined) names.push(name);
    else await roster.drop(name, refusal);
  }
  return names;
}

async function prepared(answer: ReturnType<ClientProcess['order']>, name: ContestantName): Promise<string | undefined> {
  try {
    await answer;
    return undefined;
  } catch (error) {
    if (name !== 'zae-limiter') throw error;
    return (error as Error).message.trim().split('\n').at(-1) ?? '';
  }
}

async function inTurns(names: readonly ContestantName[], work: (name: ContestantName) => Promise<void>): Promise<void> {
  for (const name of names) await work(name);
}

function client(roster: Roster, name: ContestantName): ClientProcess {
  return roster.clients.get(name) as ClientProcess;
}

async function runOnce(process: ClientProcess, callers: number, seconds: number): Promise<Measurement> {
  const answer = await process.order({ op: 'run', callers, durationMs: seconds * 1_000 });
  if (answer.kind !== 'measured') throw new Error(`a client answered a run with "${answer.kind}"`);
  return answer.measurement;
}

/** Medians of what varies from run to run; requests and units as shares of all calls, which do not. */
export function rowOf(cell: Cell, contestant: ContestantName, runs: readonly Measurement[]): Row {
  const middle = (of: (run: Measurement) => number): number => median(runs.map(of));
  const total = (of: (run: Measurement) => number): number => runs.reduce((sum, run) => sum + of(run), 0);
  const calls = total((run) => run.calls);
  return {
    ...cell,
    contestant,
    perSecond: middle((run) => (run.calls * 1_000) / run.elapsedMs),
    admittedPerSecond: middle((run) => (run.admitted * 1_000) / run.elapsedMs),
    cpuUsPerCall: middle((run) => run.cpuUs / run.calls),
    p50Ms: middle((run) => run.p50Ms),
    p99Ms: middle((run) => run.p99Ms),
    requestsPerCall: total((run) => run.requests) / calls,
    writeUnitsPerCall: total((run) => run.writeUnits) / calls,
    readUnitsPerCall: total((run) => run.readUnits) / calls,
    inversions: total((run) => run.inversions),
  };
}
