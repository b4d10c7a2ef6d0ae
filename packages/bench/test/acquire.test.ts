import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const DEADLINE_MS = 240_000;

/** The program as it is built: its clients and servers are programs of their own. */
async function bench(...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await run(process.execPath, ['packages/bench/dist/main.js', ...args, '--json'], { cwd: root, timeout: DEADLINE_MS });
  return JSON.parse(stdout) as Record<string, unknown>;
}

beforeAll(async () => {
  await run(process.execPath, ['node_modules/typescript/bin/tsc', '-b'], { cwd: root, timeout: DEADLINE_MS });
}, DEADLINE_MS);

const SHORT = ['--seconds', '0.05', '--warmup', '0.05', '--repetitions', '1', '--contestants', 'bare-sdk,rate-limiter-flexible,millrace'];

describe.each(['engine', 'stub'])('pnpm bench acquire, for a moment, on the %s', (server) => {
  it('prints one row for each contestant and cell, and what was promised', async () => {
    const report = await bench('acquire', ...SHORT, '--server', server, '--callers', '3', '--round-trip', '0,1', '--case', 'distinct,hot');

    expect(Object.keys(report).sort()).toEqual(['absences', 'bench', 'machine', 'pace', 'promises', 'rows', 'server']);
    const rows = report['rows'] as Record<string, unknown>[];
    expect(rows).toHaveLength(3 * 2 * 2);
    for (const row of rows) {
      expect(Object.keys(row).sort()).toEqual([
        'admittedPerSecond',
        'callers',
        'caseName',
        'contestant',
        'cpuUsPerCall',
        'inversions',
        'p50Ms',
        'p99Ms',
        'perSecond',
        'readUnitsPerCall',
        'requestsPerCall',
        'roundTripMs',
        'writeUnitsPerCall',
      ]);
      expect(Object.values(row).filter((value) => typeof value === 'number' && !Number.isFinite(value))).toEqual([]);
    }
    const bare = rows.filter(({ contestant }) => contestant === 'bare-sdk');
    expect(bare.map(({ requestsPerCall, writeUnitsPerCall }) => [requestsPerCall, writeUnitsPerCall])).toEqual(bare.map(() => [1, 1]));
    expect(report['promises']).toContainEqual(expect.objectContaining({ promise: expect.stringContaining('capacity + rate'), kept: true }));
  });
});

describe('the page of benchmarks', () => {
  it('has every section that the benches write', async () => {
    const page = await readFile(`${root}docs/benchmarks.md`, 'utf8');
    for (const name of ['machine', 'promises', 'acquire', 'client', 'latency', 'throughput', 'ledger']) {
      expect(page).toMatch(new RegExp(`<!-- bench:${name} -->[^]*<!-- /bench:${name} -->`));
    }
  });
});
