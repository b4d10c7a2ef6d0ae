import { randomUUID } from 'node:crypto';
import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import type { WireItem } from '@millrace/core';
import { createTable } from '@millrace/limiter/admin';
import type { EngineName } from '@millrace/testing';
import type { Terminal } from '../bench.js';
import { describeMachine, type Machine } from '../machine.js';
import { progressOn } from '../progress.js';
import { openSite, type Site } from '../servers/site.js';
import type { Cell, Task, WorkerReport } from './cell.js';
import { repetitionsOf, type Share, sharesOf } from './changes.js';
import { foundWindows } from './millrace-side.js';
import { foundBalances, writeTransactions } from './plugin-items.js';
import { type Row, rowOf, withRatios } from './row.js';
import { scenarioOf } from './scenarios.js';
import { checkTotals, trueBalances, trueWindows } from './totals.js';

/** What is to be measured. */
export interface MeasureLedgerOptions {
  readonly cells: readonly Cell[];
  readonly engine?: EngineName;
  readonly repetitions: number;
}

/** What was measured, and on what. */
export interface MeasuredLedger {
  readonly servers: readonly string[];
  readonly machine: Machine;
  readonly repetitions: number;
  /** Every total of every row was compared with brute force, and was right: otherwise there is no report. */
  readonly totalsChecked: number;
  readonly rows: readonly Row[];
}

/** Who works a task off: a process of its own, or, in a test, this one. */
export type Work = (task: Task) => Promise<WorkerReport>;

const DAY_MS = 86_400_000;

/**
 * Measures every cell on a site of its own, and compares all totals with brute force.
 *
 * @throws WrongTotals as soon as one of them is wrong
 */
export async function measureLedger(options: MeasureLedgerOptions, work: Work, stderr: Terminal['stderr']): Promise<MeasuredLedger> {
  const { cells, engine } = options;
  const progress = progressOn(stderr, cells.length);
  const rows: Row[] = [];
  const servers = new Set<string>();
  let totalsChecked = 0;
  try {
    for (const cell of cells) {
      progress.say(`${cell.scenario} on the ${cell.server}, ${cell.latencyMs} ms, ${cell.concurrency} at once: ${cell.side}`);
      await using site = await openSite({ server: cell.server, roundTripMs: 0, ...(engine === undefined ? {} : { engine }) });
      servers.add(site.server);
      const { row, checked } = await measureCell(cell, site, options.repetitions, work);
      rows.push(row);
      totalsChecked += checked;
      progress.step();
    }
  } finally {
    progress.end();
  }
  return { servers: [...servers], machine: describeMachine(), repetitions: options.repetitions, totalsChecked, rows: withRatios(rows) };
}

async function measureCell(cell: Cell, site: Site, most: number, work: Work): Promise<{ readonly row: Row; readonly checked: number }> {
  const scenario = scenarioOf(cell.scenario);
  const { endpoint, region, credentials } = site;
  const [table, dayMs] = [`ledger-${randomUUID()}`, Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS];
  const repetitions = repetitionsOf(scenario, cell.concurrency, most);
  const { warmup, measured } = sharesOf(scenario, cell.concurrency, dayMs, repetitions);
  const shares = [...warmup, ...measured];
  await createTable({ table, endpoint, region, credentials });
  const client = new DynamoDBClient({ endpoint, region, credentials });
  try {
    if (cell.side === 'plugin') for (const share of shares) await writeTransactions(client, table, share);
    const report = await work({ site: { endpoint, region, credentials }, table, cell, dayMs, repetitions });
    const checked = checkCell(cell, shares, await itemsOf(client, table));
    return { row: rowOf(cell, scenario.changes, report), checked };
  } finally {
    client.destroy();
  }
}

/** Compares what a table holds with brute force; says how many totals that were. */
function checkCell(cell: Cell, shares: readonly Share[], items: readonly WireItem[]): number {
  const { windowTypes } = scenarioOf(cell.scenario);
  const [expected, found] =
    cell.side === 'plugin'
      ? [trueBalances(shares, windowTypes), foundBalances(items)]
      : [trueWindows(shares, windowTypes), foundWindows(items)];
  checkTotals(`${cell.side}, ${cell.scenario}`, expected, found);
  return expected.size;
}

async function itemsOf(client: DynamoDBClient, table: string): Promise<readonly WireItem[]> {
  const items: WireItem[] = [];
  for await (const page of paginateScan({ client }, { TableName: table, ConsistentRead: true })) {
    items.push(...((page.Items ?? []) as WireItem[]));
  }
  return items;
}
