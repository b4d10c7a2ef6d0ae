import type { EngineName } from '@millrace/testing';
import { namesOf, readOptions, wholesOf } from '../arguments.js';
import { UsageError } from '../bench.js';
import type { ServerKind } from '../servers/site.js';
import { type Cell, SIDES } from './cell.js';
import type { LagOptions } from './lag/measure-lag.js';
import type { MeasureLedgerOptions } from './measure.js';
import { SCENARIOS, type Scenario } from './scenarios.js';

const LAG = 'lag';
const NAMES = [...SCENARIOS.map(({ name }) => name), LAG];
const ENGINES: readonly EngineName[] = ['dynoxide', 'extenddb', 'dynamodb-local'];
const MAX_CONCURRENCY = 200;

/**
 * What the lag is promised of. Each bucket has a writer of its own, so that none shares a write. More buckets would measure the
 * engine: each costs it four writes in every batch.
 */
const LAG_PROMISED: LagOptions = { perSecond: 1_000, seconds: 15, keys: 50, writers: 50 };
const LAG_QUICK: LagOptions = { ...LAG_PROMISED, seconds: 2 };

/** What `pnpm bench ledger` is to measure, and where its results go. */
export interface LedgerOptions extends MeasureLedgerOptions {
  readonly check: boolean;
  readonly json: boolean;
  readonly markdown?: string;
  /** What is offered to measure how late windows are; absent where that is not wanted. */
  readonly lag?: LagOptions;
}

export const LEDGER_USAGE = `Usage: pnpm bench ledger [options]

Works off changes of buckets as the aggregator does, and as a plugin does that marks each of them, in the same run.
Compares every total with brute force, and fails where one is wrong. Then offers 1,000 changes a second to an engine, and
measures how late the windows have them (scenario lag, to which only --engine applies).

  --scenario a,b      some of ${NAMES.join(',')} (all)
  --concurrency a,b   writes under way at once, 1 is in sequence (those of each scenario: 1,10,50,100)
  --latency a,b       milliseconds for which each request is held back (0,5,20)
  --server a,b        engine: a local DynamoDB engine (default); stub: answers at once, so that an engine's pace hides no latency
  --engine e          ${ENGINES.join(', ')} (the first that is installed; for the lag extenddb if it is)
  --repetitions N     rounds in which the sides take turns; tables show medians, promises are judged by the fastest (3, --check 9)
  --quick             one repetition, roll-ups and the pipeline, 1 ms
  --check             only what the project promises, and exit 1 if one of its figures is missed;
                      without it such a figure is shown as FAILED, and the exit code is 0
  --json              one JSON document on stdout
  --markdown FILE     write the tables

Exit code: 0 done, 1 a total was wrong, or a figure was missed (--check), 2 wrong arguments.
`;

function bothSides(cell: Omit<Cell, 'side'>): readonly Cell[] {
  return SIDES.map((side) => ({ ...cell, side }));
}

/** What the promises are made of: the cells that `--check` measures unless scenarios are named. */
export const PROMISED: readonly Cell[] = [
  ...(['engine', 'stub'] as const).flatMap((server) => [
    { scenario: 'roll-ups', server, latencyMs: 20, concurrency: 1, side: 'millrace' as const },
    { scenario: 'roll-ups', server, latencyMs: 20, concurrency: 50, side: 'millrace' as const },
    ...bothSides({ scenario: 'pipeline', server, latencyMs: 20, concurrency: 50 }),
  ]),
  ...[10, 100].map((concurrency) => ({
    scenario: 'scattered-1000',
    server: 'engine' as const,
    latencyMs: 20,
    concurrency,
    side: 'millrace' as const,
  })),
];

/** What is shown of the other circumstances. */
const TELLING = 'folded-1000,scattered-1000,roll-ups,pipeline,pipeline-10-keys,pipeline-live';

/** What the page of benchmarks shows: all of 20 ms on the engine, and of no latency and of the stub what tells most. */
export const DOCUMENTED: readonly Cell[] = [
  ...cellsOf({ latency: '20' }, false),
  ...cellsOf({ latency: '0', scenario: TELLING }, false),
  ...cellsOf({ latency: '20', server: 'stub', scenario: TELLING }, false),
  ...cellsOf({ latency: '20', scenario: 'scattered-100', server: 'stub', concurrency: '1' }, false),
  ...cellsOf({ latency: '0', scenario: 'scattered-100', concurrency: '1' }, false),
];

/** Reads the arguments. */
export function readLedgerOptions(args: readonly string[]): LedgerOptions {
  const given = readOptions(args, {
    scenario: { type: 'string' },
    concurrency: { type: 'string' },
    latency: { type: 'string' },
    server: { type: 'string' },
    engine: { type: 'string' },
    repetitions: { type: 'string' },
    quick: { type: 'boolean' },
    check: { type: 'boolean' },
    json: { type: 'boolean' },
    markdown: { type: 'string' },
  });
  const { quick = false, check = false, json = false } = given;
  const [repetitions = 3] = wholesOf('repetitions', given.repetitions, [quick ? 1 : check ? 9 : 3], 1, 100);
  const [engine] = given.engine === undefined ? [] : namesOf('engine', given.engine, ENGINES);
  return {
    cells: check && given.scenario === undefined ? PROMISED : cellsOf(given, quick),
    repetitions,
    check,
    json,
    ...(engine === undefined ? {} : { engine }),
    ...(isLagWanted(given, quick) ? { lag: quick ? LAG_QUICK : LAG_PROMISED } : {}),
    ...(given.markdown === undefined ? {} : { markdown: given.markdown }),
  };
}

/** The lag wants a stream, which the stub has none of; a quick run has it if it is named. */
function isLagWanted({ scenario, server }: Chosen, quick: boolean): boolean {
  if (scenario !== undefined && !namesOf('scenario', scenario, NAMES).includes(LAG)) return false;
  const isOnEngine = server === undefined || namesOf<ServerKind>('server', server, ['engine', 'stub']).includes('engine');
  if (scenario === undefined) return isOnEngine && !quick;
  if (!isOnEngine) throw new UsageError(`the scenario ${LAG} wants a stream, and the stub has none`);
  return true;
}

interface Chosen {
  readonly scenario?: string;
  readonly concurrency?: string;
  readonly latency?: string;
  readonly server?: string;
}

function cellsOf({ scenario, concurrency, latency, server }: Chosen, quick: boolean): readonly Cell[] {
  const names = namesOf('scenario', scenario ?? (quick ? 'roll-ups,pipeline' : undefined), NAMES);
  const latenciesMs = wholesOf('latency', latency, quick ? [1] : [0, 5, 20], 0, 1_000);
  const servers = namesOf<ServerKind>('server', server ?? 'engine', ['engine', 'stub']);
  const atOnce = concurrency === undefined ? undefined : wholesOf('concurrency', concurrency, [], 1, MAX_CONCURRENCY);
  const concurrenciesOf = ({ concurrencies }: Scenario): readonly number[] => atOnce ?? (quick ? concurrencies.slice(-1) : concurrencies);
  return SCENARIOS.filter(({ name }) => names.includes(name)).flatMap((found) =>
    servers.flatMap((kind) =>
      latenciesMs.flatMap((latencyMs) =>
        concurrenciesOf(found).flatMap((count) =>
          bothSides({ scenario: found.name, server: kind, latencyMs, concurrency: count }).filter(
            // Where another scenario's run in sequence is compared with, this one's is done only if it was asked for.
            ({ side }) => atOnce !== undefined || count > 1 || found.baseline?.[side] === undefined,
          ),
        ),
      ),
    ),
  );
}
