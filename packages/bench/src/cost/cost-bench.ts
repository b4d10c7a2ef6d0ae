import { type CacheRow, type Prices, pricesOf, SCENARIOS, type Scenario } from '@millrace/cost';
import { countCache } from './cache-run.js';
import { type Ground, prepareGround } from './ground.js';
import { countOperations } from './operations.js';
import { type CostReport, constantsOf, type ScenarioReport, scenarioReport } from './report.js';
import { countScenario } from './scenario-run.js';

/** What the bench is to count. */
export interface CostBenchOptions {
  /** Of each scenario; ten times as many where the cache decides what is read, as chance has more to say there. */
  readonly acquires: number;
  readonly seed: number;
  /** Which scenarios; all unless named, and then the cache, too. */
  readonly scenarios?: readonly Scenario['name'][];
  readonly prices?: Prices;
  /** Told of what is counted next. */
  readonly onStep?: (what: string) => void;
}

const CACHED_TIMES = 10;
/** An entity's configuration is asked for so often, and for at least so many lives of the cache that their edges hardly show. */
const CACHE_ASKS = 5_000;
const LEAST_CACHE_SEC = 1_200;

/** Counts, on a local engine, what operations and scenarios cost, and puts it beside the formulas and the published figures. */
export async function costBench({
  acquires,
  seed,
  scenarios,
  prices = pricesOf(),
  onStep = () => undefined,
}: CostBenchOptions): Promise<CostReport> {
  const { breakEven, cacheRows } = constantsOf(prices);
  onStep('operations');
  const { engine, operations } = await onGround(seed, async (ground) => ({
    engine: ground.engine,
    operations: await countOperations(ground),
  }));
  const wanted = SCENARIOS.filter(({ name }) => scenarios === undefined || scenarios.includes(name));
  const reports: ScenarioReport[] = [];
  for (const scenario of wanted) {
    onStep(scenario.name);
    const count = acquires * (scenario.workload.configMissShare === undefined ? CACHED_TIMES : 1);
    reports.push(
      await onGround(seed, async (ground) =>
        scenarioReport(scenario, await countScenario(ground, scenario.workload, count, prices), prices),
      ),
    );
  }
  const cache = scenarios === undefined ? await countCaches(cacheRows, seed, onStep) : [];
  return { engine, seed, operations, scenarios: reports, cache, breakEven };
}

function countCaches(cacheRows: readonly CacheRow[], seed: number, onStep: (what: string) => void): Promise<CostReport['cache']> {
  onStep('cache');
  return onGround(seed, async (ground) => {
    const rows = [];
    for (const row of cacheRows) {
      const seconds = Math.max(LEAST_CACHE_SEC, CACHE_ASKS / row.ratePerSec);
      rows.push({ ...row, counted: await countCache(ground, row, seconds) });
    }
    return rows;
  });
}

async function onGround<T>(seed: number, work: (ground: Ground) => Promise<T>): Promise<T> {
  const ground = await prepareGround(seed);
  try {
    return await work(ground);
  } finally {
    await ground.close();
  }
}
