import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DynamoDBClient, QueryCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Cell, StartWorker, Task } from '../src/ledger/cell.js';
import { sharesOf } from '../src/ledger/changes.js';
import { measureLedger } from '../src/ledger/measure.js';
import { hourPartition } from '../src/ledger/plugin-items.js';
import type { LedgerReport } from '../src/ledger/report.js';
import { scenarioOf } from '../src/ledger/scenarios.js';
import { WrongTotals } from '../src/ledger/totals.js';
import { openWorker } from '../src/ledger/worker.js';

const quiet = { write: () => undefined };

function measured(cell: Pick<Cell, 'scenario' | 'side'> & Partial<Cell>, start: StartWorker = openWorker) {
  const cells = [{ server: 'engine' as const, latencyMs: 0, concurrency: 50, ...cell }];
  return measureLedger({ cells, repetitions: 1 }, start, quiet);
}

describe('changes worked off on an engine', () => {
  it.each([
    // A write for each window, and one unit more for the entry of a new one in the index.
    ['pipeline', 'millrace', { requests: 27, readUnits: 0, writeUnits: 54 }],
    ['pipeline-live', 'millrace', { requests: 40, readUnits: 0, writeUnits: 80 }],
    ['scattered-100', 'millrace', { requests: 100, readUnits: 0, writeUnits: 200 }],
    // 24 reads, a balance, a mark for each change, and 27 periods.
    ['pipeline', 'plugin', { requests: 1_052, writeUnits: 1_028 }],
    ['scattered-100', 'plugin', { requests: 202, writeUnits: 201 }],
  ] as const)('%s by %s takes these requests and units, and comes to the right totals', async (scenario, side, units) => {
    const { rows, totalsChecked } = await measured({ scenario, side });

    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject(units);
    expect(totalsChecked).toBeGreaterThan(0);
  });

  it('are counted right where nothing goes side by side, and where all is late', async () => {
    const { rows } = await measured({ scenario: 'roll-ups', side: 'millrace', concurrency: 1, latencyMs: 1 });

    expect(rows[0]).toMatchObject({ requests: 24, writeUnits: 48, concurrency: 1 });
  });
});

describe('wrong totals', () => {
  it('fail the bench where nothing was worked off', async () => {
    const run = { elapsedMs: 1, cpuUs: 1, requests: 0, readUnits: 0, writeUnits: 0, peakRssBytes: 1 };
    const idle: StartWorker = async () => ({ startRssBytes: 1, run: async () => run, [Symbol.asyncDispose]: async () => undefined });

    await expect(measured({ scenario: 'roll-ups', side: 'millrace' }, idle)).rejects.toThrow(WrongTotals);
    await expect(measured({ scenario: 'roll-ups', side: 'plugin' }, idle)).rejects.toThrow(/(\d+) of \1 totals are wrong/);
  });

  it('do not come of changes that are brought twice to ours', async () => {
    await expect(
      measured(
        { scenario: 'roll-ups', side: 'millrace' },
        again(async () => undefined),
      ),
    ).resolves.toMatchObject({
      rows: [{ requests: 24, writeUnits: 24 }],
    });
  });

  it("come of one mark that is lost on the plugin's way", async () => {
    await expect(measured({ scenario: 'roll-ups', side: 'plugin' }, again(unmarkOne))).rejects.toThrow(/key-0 balance: expected/);
  });
});

/** A worker who has been there before: all was worked off once when it begins, and something happened meanwhile. */
function again(meanwhile: (task: Task) => Promise<void>): StartWorker {
  return async (task) => {
    const first = await openWorker(task);
    for (let run = 0; run < task.repetitions; run += 1) await first.run();
    await first[Symbol.asyncDispose]();
    await meanwhile(task);
    return openWorker(task);
  };
}

/** Takes the mark off the first transaction of the share that was measured. */
async function unmarkOne({ site, table, cell, dayMs }: Task): Promise<void> {
  const client = new DynamoDBClient(site);
  const [share] = sharesOf(scenarioOf(cell.scenario), dayMs, 1).measured;
  const partition = hourPartition(share?.namespaceId ?? '', share?.changes[0]?.atMs ?? 0);
  const { Items: [item] = [] } = await client.send(
    new QueryCommand({ TableName: table, KeyConditionExpression: 'PK = :p', ExpressionAttributeValues: { ':p': { S: partition } } }),
  );
  const key = { PK: item?.['PK'] ?? { S: '' }, SK: item?.['SK'] ?? { S: '' } };
  const values = { ':no': { BOOL: false } };
  await client.send(
    new UpdateItemCommand({ TableName: table, Key: key, UpdateExpression: 'SET applied = :no', ExpressionAttributeValues: values }),
  );
  client.destroy();
}

describe('pnpm bench ledger, for a moment, as it is built', () => {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const run = promisify(execFile);
  const DEADLINE_MS = 240_000;
  beforeAll(async () => {
    await run(process.execPath, ['node_modules/typescript/bin/tsc', '-b'], { cwd: root, timeout: DEADLINE_MS });
  }, DEADLINE_MS);

  it('prints one JSON document: a row for each cell, from processes of their own, and what was promised', async () => {
    const options = ['--quick', '--server', 'stub', '--scenario', 'pipeline', '--json', '--check'];
    const { stdout } = await run(process.execPath, ['packages/bench/dist/main.js', 'ledger', ...options], {
      cwd: root,
      timeout: DEADLINE_MS,
    });
    const report = JSON.parse(stdout) as LedgerReport;

    expect(Object.keys(report).sort()).toEqual(['bench', 'machine', 'promises', 'repetitions', 'rows', 'servers', 'totalsChecked']);
    expect(report.servers).toEqual(['stub']);
    expect(report.rows.map(({ side, requests }) => ({ side, requests }))).toEqual([
      { side: 'millrace', requests: 27 },
      { side: 'plugin', requests: 1_052 },
    ]);
    for (const row of report.rows) {
      expect(Object.values(row).filter((value) => typeof value === 'number' && !(Number.isFinite(value) && value >= 0))).toEqual([]);
      expect(row.peakRssBytes).toBeGreaterThan(30_000_000);
    }
    expect(report.rows[0]?.timesPlugin).toBeGreaterThan(0);
    expect(report.promises.every(({ kept }) => kept === undefined)).toBe(true);
  });
});
