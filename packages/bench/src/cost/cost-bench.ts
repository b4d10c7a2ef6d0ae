import { type Prices, pricesOf, SCENARIOS, type Scenario } from '@millrace/cost';
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
  /** Which scenarios; all unless named. */
  readonly scenarios?: readonly Scenario['name'][];
  readonly prices?: Prices;
  /** Told of what is counted next. */
  readonly onStep?: (what: string) => void;
}

const CACHED_TIMES = 10;
/** How long an entity is asked for: at the highest rate fewer lives of the cache, and still more asks. */
const CACHE_SECONDS: Readonly<Record<number, number>> = { 1: 5_000, 10: 2_000, 100: 600 };

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
  onStep('cache');
  const cache = await onGround(seed, async (ground) => {
    const rows = [];
    for (const row of cacheRows) rows.push({ ...row, counted: await countCache(ground, row, CACHE_SECONDS[row.ratePerSec] ?? TTL_LIVES) });
    return rows;
  });
  return { engine, seed, operations, scenarios: reports, cache, breakEven };
}

/** A minute's cache lives so often in this time that its edges do not show. */
const TTL_LIVES = 1_000;

async function onGround<T>(seed: number, work: (ground: Ground) => Promise<T>): Promise<T> {
  const ground = await prepareGround(seed);
  try {
    return await work(ground);
  } finally {
    await ground.close();
  }
}
