import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { bucketFromItem, parseBucketKey, type WireItem } from '@millrace/core';
import { bundledProgram } from '@millrace/house';
import { Limit } from '@millrace/limiter';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CallersReport, CallersTask } from './caller-process.js';
import { type OpenTable, openTable } from './open-table.js';

const PROCESSES = 4;
const LIMITS = [Limit.perMinute('rpm', 600), Limit.perMinute('tpm', 100_000)];
const AMOUNTS = { rpm: 1, tpm: 100 };
const here = fileURLToPath(new URL('.', import.meta.url));

let script: string;
let table: OpenTable;

beforeAll(async () => {
  script = await bundledProgram(`${here}caller-process.ts`);
});
beforeEach(async () => {
  table = await openTable();
  return () => table.close();
});

/** Runs callers in a process of its own. It reads its program from standard input, so that no file is written. */
function runCallers(task: CallersTask): Promise<CallersReport> {
  const child: ChildProcess = spawn(process.execPath, ['--input-type=module', '-'], {
    cwd: here,
    stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
  });
  child.stdin?.end(script);
  return new Promise((resolve, reject) => {
    child.once('message', (report) => resolve(report as CallersReport));
    child.once('exit', (code) => reject(new Error(`the process of callers ended with ${code}`)));
    child.send(task);
  });
}

async function runProcesses(entityOf: (process: number) => string, settling: CallersTask['settling'], durationMs = 10_000) {
  // A machine that is busy must not look like a fault.
  const connection = { ...table.connection, requestTimeoutMs: 30_000, deadlineMs: 60_000 };
  const task = { connection, limits: LIMITS.map((limit) => ({ ...limit })), amounts: AMOUNTS, callers: 16, durationMs, settling } as const;
  const reports = await Promise.all(Array.from({ length: PROCESSES }, (_, index) => runCallers({ ...task, entity: entityOf(index) })));
  const kept = new Map<string, number>();
  for (const report of reports) {
    for (const [limit, tokens] of Object.entries(report.kept)) kept.set(limit, (kept.get(limit) ?? 0) + tokens);
  }
  const elapsedMs = Math.max(...reports.map((report) => report.endedAtMs)) - Math.min(...reports.map((report) => report.startedAtMs));
  return { reports, kept, elapsedMs, errors: reports.flatMap((report) => report.errors) };
}

/** What the table has on its books: used less returned, by entity and limit. */
async function books(): Promise<Map<string, Record<string, number>>> {
  const { Items: items = [] } = await table.client.send(new ScanCommand({ TableName: table.table, ConsistentRead: true }));
  const found = new Map<string, Record<string, number>>();
  for (const item of items) {
    const ref = parseBucketKey(item['PK']?.S ?? '', item['SK']?.S ?? '');
    if (ref === undefined) continue;
    const { limits } = bucketFromItem(item as WireItem);
    found.set(ref.entity, Object.fromEntries([...limits].map(([limit, { used, returned }]) => [limit, Number(used - returned)])));
  }
  return found;
}

async function createChain(): Promise<void> {
  const limiter = await table.open();
  await limiter.entities.create('org');
  await limiter.entities.create('project', { parent: 'org', cascade: true });
  for (let index = 0; index < PROCESSES; index += 1) await limiter.entities.create(`key-${index}`, { parent: 'project', cascade: true });
}

/** What a limit may admit in so long a time. */
function bound(limit: Limit, elapsedMs: number): number {
  return limit.capacity + (limit.refill / limit.periodMs) * elapsedMs;
}

function expectExact(kept: ReadonlyMap<string, number>, elapsedMs: number): void {
  for (const limit of LIMITS) expect(kept.get(limit.name)).toBeLessThanOrEqual(bound(limit, elapsedMs));
  // Requests are what runs out first; of the tokens only a hundred go with each.
  const [rpm] = LIMITS as [Limit, Limit];
  expect(kept.get('rpm')).toBeGreaterThanOrEqual(0.97 * bound(rpm, elapsedMs));
}

describe('four processes of sixteen callers each', () => {
  it('on one key get what the limit allows: no token more, and nearly all of it', async () => {
    const { kept, elapsedMs, errors } = await runProcesses(() => 'key', 'commit');

    expect(errors).toEqual([]);
    expectExact(kept, elapsedMs);
    expect((await books()).get('key')).toEqual(Object.fromEntries(kept));
  });

  it('on keys of one project and one organisation get what those allow', async () => {
    await createChain();

    const { kept, elapsedMs, errors } = await runProcesses((index) => `key-${index}`, 'commit');

    expect(errors).toEqual([]);
    expectExact(kept, elapsedMs);
    const found = await books();
    expect(found.get('project')).toEqual(Object.fromEntries(kept));
    expect(found.get('org')).toEqual(Object.fromEntries(kept));
  });

  it('that release, adjust, abort and throw leave on the books what they admit to, to the token, at every level', async () => {
    await createChain();

    const { reports, kept, errors } = await runProcesses((index) => `key-${index}`, 'every way');

    expect(errors).toEqual([]);
    const found = await books();
    for (const [index, report] of reports.entries()) expect(found.get(`key-${index}`)).toEqual(report.kept);
    expect(found.get('project')).toEqual(Object.fromEntries(kept));
    expect(found.get('org')).toEqual(Object.fromEntries(kept));
  });
});
