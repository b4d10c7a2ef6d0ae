import { readFile } from 'node:fs/promises';
import { pricesOf, SCENARIOS, unitsPerWrite, workloadOf } from '@millrace/cost';
import { Limit } from '@millrace/limiter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COST_BENCH } from '../src/cost/bench.js';
import { deckOf } from '../src/cost/deck.js';
import { type Ground, prepareGround } from '../src/cost/ground.js';
import { countOperations, type OperationCount } from '../src/cost/operations.js';
import { markdownOf } from '../src/cost/render.js';
import { countScenario } from '../src/cost/scenario-run.js';
import { tablesOf } from '../src/cost/tables.js';

const prices = pricesOf();
const random = (): number => 0.5;

/** A terminal that remembers. */
function terminal() {
  const written = { out: '', err: '' };
  const stream = (key: 'out' | 'err') => ({
    write(text: string) {
      written[key] += text;
    },
  });
  return { written, stdout: stream('out'), stderr: stream('err'), env: {} };
}

describe('operations, counted on an engine', () => {
  let ground: Ground;
  let operations: readonly OperationCount[];
  beforeAll(async () => {
    ground = await prepareGround(1);
    operations = await countOperations(ground);
  });
  afterAll(() => ground.close());

  const units = (id: string) => operations.find((operation) => operation.id === id)?.counted;

  it('are one write for each level, whatever the number of limits, and none for a repeated rejection', () => {
    expect(units('first')).toEqual({ requests: 1, readUnits: 0, writeUnits: 1 });
    expect(units('ten limits')).toEqual({ requests: 1, readUnits: 0, writeUnits: 1 });
    expect(units('deep cascade')).toEqual({ requests: 4, readUnits: 0, writeUnits: 4 });
    expect(units('crowd')).toEqual({ requests: 1, readUnits: 0, writeUnits: 1 });
    expect(units('repeated rejection')).toEqual({ requests: 0, readUnits: 0, writeUnits: 0 });
    expect(units('rested')).toEqual({ requests: 0, readUnits: 0, writeUnits: 0 });
  });

  it('count a refused condition as the write that it refused', () => {
    expect(units('rejection')).toEqual({ requests: 1, readUnits: 0, writeUnits: 1 });
    expect(units('wrong form')).toEqual({ requests: 2, readUnits: 0, writeUnits: 2 });
    expect(units('cascade rejection')).toEqual({ requests: 3, readUnits: 0, writeUnits: 3 });
  });

  it('of usage events are two units an item: the event, its name, and a meter for all of an entity that are written together', () => {
    expect(units('event')).toEqual({ requests: 1, readUnits: 0, writeUnits: 4 });
    expect(units('named event')).toEqual({ requests: 1, readUnits: 0, writeUnits: 6 });
    expect(units('events together')).toEqual({ requests: 1, readUnits: 0, writeUnits: 42 });
    expect(units('named events together')).toEqual({ requests: 1, readUnits: 0, writeUnits: 82 });
  });

  it('are those of the page of the documents', async () => {
    const page = await readFile(new URL('../../../docs/costs.md', import.meta.url), 'utf8');
    const report = { engine: ground.engine, seed: 1, operations, scenarios: [], cache: [], breakEven: NO_BREAK_EVEN };
    const [table, million] = markdownOf(report, tablesOf(report, prices)).split('\n## ').slice(1, 3);

    expect(page).toContain(table);
    expect(page).toContain(million?.trim());
  });
});

const NO_BREAK_EVEN = { writeUtilisation: 0, readUtilisation: 0, reservedFromWrites: { thanOnDemand: 0, thanProvisioned: 0 } };

describe('what is counted and what is estimated', () => {
  it.each([
    { of: 'plain acquires', given: { configMissShare: 0 } },
    { of: 'cascades over three levels with misses', given: { depth: 3, cascadeShare: 0.5, configMissShare: 0.1 } },
    {
      of: 'refusals, half of them from memory',
      given: { cascadeShare: 0.5, refusedShare: 0.5, refusedLocallyShare: 0.5, configMissShare: 0 },
    },
    { of: 'adjustments', given: { adjustsPerAcquire: 1.5, configMissShare: 0 } },
  ])('agree within 2 % for $of', async ({ given }) => {
    const ground = await prepareGround(3);
    try {
      const workload = workloadOf({ acquiresPerMonth: 100_000, entities: 5, processes: 2, ...given });
      const { deviation, counted, estimated } = await countScenario(ground, workload, 100, prices);

      expect(deviation, JSON.stringify({ counted, estimated })).toBeLessThanOrEqual(0.02);
    } finally {
      await ground.close();
    }
  });
});

describe('the size of a bucket', () => {
  it.each([
    [1, 6],
    [10, 6],
    [10, 9],
    [5, 31],
    [8, 31],
    [10, 32],
  ])('of %i limits with names of %i bytes is billed as the formula says', async (count, limitNameBytes) => {
    const ground = await prepareGround(1);
    try {
      const limits = Array.from({ length: count }, (_, index) => Limit.perMinute(`l${index}`.padEnd(limitNameBytes, 'x'), 800_000));
      const amounts = Object.fromEntries(limits.map(({ name }) => [name, 1]));
      const [entity, resource] = ['e'.repeat(12), 'r'.repeat(12)];
      const limiter = await ground.open();
      await ground.meter.uncounted(() => limiter.explain(entity, resource));

      const { writeUnits } = await ground.meter.count(() => limiter.acquire(entity, resource, amounts, { limits }));

      expect(writeUnits).toBe(unitsPerWrite({ limits: count, limitNameBytes, keyNameBytes: 24 }));
    } finally {
      await ground.close();
    }
  });
});

describe('the acquires of a scenario', () => {
  it('are exactly its shares, those that cascade and those that do not', () => {
    const mixed = SCENARIOS.find(({ name }) => name === 'mixed')?.workload ?? workloadOf();
    const deck = deckOf(mixed, 1_000, random);
    const count = (is: (card: (typeof deck)[number]) => boolean): number => deck.filter(is).length;

    expect(deck).toHaveLength(1_000);
    expect(count(({ cascades }) => cascades)).toBe(300);
    expect(count(({ cascades, fate }) => cascades && fate !== 'admitted')).toBe(60);
    expect(count(({ cascades, fate }) => !cascades && fate === 'refused locally')).toBe(70);
    expect(count(({ isCold }) => isCold)).toBe(20);
    expect(deck.reduce((sum, { adjusts }) => sum + adjusts, 0)).toBe(800);
  });
});

describe('pnpm bench cost', () => {
  it('gives one JSON document, and the exit code of its check', async () => {
    const here = terminal();
    const code = await COST_BENCH.run(['--scenario', 'simple', '--acquires', '60', '--json'], here);
    const report = JSON.parse(here.written.out);

    expect({ code, err: here.written.err }).toEqual({
      code: 0,
      err: 'cost: counting operations\ncost: counting simple\n',
    });
    expect(report.scenarios).toMatchObject([{ scenario: 'simple', acquires: 60, isWithin: true }]);
    expect(report.operations.length).toBeGreaterThan(20);
  });

  it('fails where what was counted is not what was estimated, as it is where one acquire cannot have the shares of a mix', async () => {
    const here = terminal();
    const code = await COST_BENCH.run(['--scenario', 'mixed', '--acquires', '1'], here);

    expect(code).toBe(1);
    expect(here.written.err).toMatch(/cost: what was counted of mixed differs from the estimate by \d+\.\d\d %\n$/);
    expect(here.written.out).toMatch(/^Operations\n\noperation of the peer +published RCU/);
  });

  it.each([
    [['--acquires', '0'], '--acquires must be a number from 1 to 100000, got "0"'],
    [['--scenario', 'huge'], '--scenario must be some of simple,hierarchical,10k-day,1m-day,mixed, got "huge"'],
    [['--json', '--markdown'], '--json and --markdown are two forms: give one'],
    [['--what'], "Unknown option '--what'"],
  ])('refuses %j', async (args, message) => {
    await expect(COST_BENCH.run(args, terminal())).rejects.toThrow(message);
  });
});
