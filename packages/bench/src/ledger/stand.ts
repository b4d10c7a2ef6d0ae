import { randomUUID } from 'node:crypto';
import { type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import type { WireItem } from '@millrace/core';
import { createTable } from '@millrace/limiter/admin';
import type { Site } from '../servers/site.js';
import type { Cell, Run, StartWorker, Worker } from './cell.js';
import { runsInRound, type Share, sharesOf } from './changes.js';
import { foundWindows } from './millrace-side.js';
import { foundBalances, writeTransactions } from './plugin-items.js';
import { type Row, rowOf } from './row.js';
import { scenarioOf } from './scenarios.js';
import { checkTotals, trueBalances, trueWindows } from './totals.js';

const DAY_MS = 86_400_000;

/** A cell with its table, its shares, and the worker that is at it. */
export class Stand implements AsyncDisposable {
  readonly #cell: Cell;
  readonly #table: string;
  readonly #client: DynamoDBClient;
  readonly #shares: readonly Share[];
  readonly #worker: Worker;
  readonly #runs: Run[] = [];

  private constructor(cell: Cell, table: string, client: DynamoDBClient, shares: readonly Share[], worker: Worker) {
    this.#cell = cell;
    this.#table = table;
    this.#client = client;
    this.#shares = shares;
    this.#worker = worker;
  }

  /** Makes the table, writes down what the plugin's way finds in it, and starts the worker. */
  static async open(cell: Cell, site: Site, client: DynamoDBClient, rounds: number, start: StartWorker): Promise<Stand> {
    const scenario = scenarioOf(cell.scenario);
    const { endpoint, region, credentials } = site;
    const [table, dayMs] = [`ledger-${randomUUID()}`, Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS];
    const inRounds = Array.from({ length: rounds }, (_, round) => runsInRound(scenario, cell, round));
    const repetitions = inRounds.reduce((sum, runs) => sum + runs, 0);
    const { warmup, measured } = sharesOf(scenario, dayMs, repetitions);
    const shares = [...warmup, ...measured];
    await createTable({ table, endpoint, region, credentials });
    if (cell.side === 'plugin') for (const share of shares) await writeTransactions(client, table, share);
    const worker = await start({ site: { endpoint, region, credentials }, table, cell, dayMs, repetitions });
    return new Stand(cell, table, client, shares, worker);
  }

  /** Does the runs of a round. */
  async play(round: number): Promise<void> {
    const runs = runsInRound(scenarioOf(this.#cell.scenario), this.#cell, round);
    for (let run = 0; run < runs; run += 1) this.#runs.push(await this.#worker.run());
  }

  /**
   * What came of it, and how many totals were compared with brute force.
   *
   * @throws WrongTotals if one of them is wrong
   */
  async result(): Promise<{ readonly row: Row; readonly checked: number }> {
    const checked = checkCell(this.#cell, this.#shares, await this.#items());
    return { row: rowOf(this.#cell, this.#runs, this.#worker.startRssBytes), checked };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.#worker[Symbol.asyncDispose]());
  }

  async #items(): Promise<readonly WireItem[]> {
    const items: WireItem[] = [];
    for await (const page of paginateScan({ client: this.#client }, { TableName: this.#table, ConsistentRead: true })) {
      items.push(...((page.Items ?? []) as WireItem[]));
    }
    return items;
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
