import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { EngineName } from '@millrace/testing';
import type { Terminal } from '../bench.js';
import { describeMachine, type Machine } from '../machine.js';
import { progressOn } from '../progress.js';
import { openSite, type Site } from '../servers/site.js';
import type { Cell, StartWorker } from './cell.js';
import { type Row, withRatios } from './row.js';
import { Stand } from './stand.js';

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

/**
 * Measures every cell, and compares all totals with brute force. Those of a scenario that are compared with each other have
 * one site, and run in turns (A B C, A B C), so that a busy moment of the machine hits all alike.
 *
 * @throws WrongTotals as soon as one of them is wrong
 */
export async function measureLedger(
  options: MeasureLedgerOptions,
  start: StartWorker,
  stderr: Terminal['stderr'],
): Promise<MeasuredLedger> {
  const { cells, engine, repetitions } = options;
  const progress = progressOn(stderr, cells.length);
  const rows: Row[] = [];
  const servers = new Set<string>();
  let totalsChecked = 0;
  try {
    for (const group of groupsOf(cells)) {
      const [{ scenario, server, latencyMs }] = group;
      progress.say(`${scenario} on the ${server}, ${latencyMs} ms`);
      await using site = await openSite({ server, roundTripMs: 0, ...(engine === undefined ? {} : { engine }) });
      servers.add(site.server);
      for (const { row, checked } of await measureGroup(group, site, repetitions, start)) {
        rows.push(row);
        totalsChecked += checked;
        progress.step();
      }
    }
  } finally {
    progress.end();
  }
  return { servers: [...servers], machine: describeMachine(), repetitions, totalsChecked, rows: withRatios(rows) };
}

type Group = [Cell, ...Cell[]];

function groupsOf(cells: readonly Cell[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const cell of cells) {
    const name = JSON.stringify([cell.scenario, cell.server, cell.latencyMs]);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [cell]);
    else group.push(cell);
  }
  return [...groups.values()];
}

async function measureGroup(group: Group, site: Site, rounds: number, start: StartWorker) {
  const { endpoint, region, credentials } = site;
  const client = new DynamoDBClient({ endpoint, region, credentials });
  const stands: Stand[] = [];
  try {
    for (const cell of group) stands.push(await Stand.open(cell, site, client, rounds, start));
    for (let round = 0; round < rounds; round += 1) for (const stand of stands) await stand.play(round);
    const results = [];
    for (const stand of stands) results.push(await stand.result());
    return results;
  } finally {
    await Promise.all(stands.map((stand) => stand[Symbol.asyncDispose]()));
    client.destroy();
  }
}
