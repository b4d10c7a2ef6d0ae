import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SCENARIOS } from '../../scenarios/index.js';
import { reportOf } from '../plan/report.js';
import { tuneCommand } from './reading-arguments.js';
import { type RunOnce, tune } from './tune.js';

let results: string;
beforeAll(async () => {
  results = await mkdtemp(join(tmpdir(), 'millrace-tune-'));
});
afterAll(() => rm(results, { recursive: true }));

/** A worker whose users make an acquire a second each, and wait longer the more they are. */
const slowly: RunOnce = async (command) => {
  const { users, durationMs } = command;
  const count = Math.floor((users * durationMs) / 1_000);
  const series = { count, avg: users, min: 1, p50: users, p95: users, p99: users, max: users };
  const scenario = SCENARIOS[0];
  if (scenario === undefined) throw new Error('there is a scenario');
  const settings = {
    ...command,
    scenario: scenario.name,
    mode: 'direct' as const,
    run: 'r',
    table: 't',
    namespace: 'n',
    endpoint: '',
    region: '',
  };
  const rates = { limiter_errors: { rate: 0, trues: 0, count } };
  const figures = { durationMs, series: { acquire: series }, counts: {}, rates };
  return { report: reportOf({ scenario, settings: settings as never, runtime: 'local', startedAtMs: 0, figures }), folder: '' };
};

it('counts its steps without the baseline, however often that is measured, and says why they last longer than asked for', async () => {
  const [said, shown]: [string[], string[]] = [[], []];
  const args = ['simple', '--max-users', '40', '--baseline-duration', '3s', '--step-duration', '3s', '--steps', '3', '--results', results];
  const surroundings = { env: {}, say: (line: string) => void said.push(line), show: (line: string) => void shown.push(line) };
  await tune(tuneCommand(args), surroundings, slowly);

  expect(shown[0]).toBe('the baseline, 1 user, 3 s');
  expect(shown.filter((line) => line.startsWith('the baseline')).length).toBeGreaterThan(1);
  expect(shown.filter((line) => line.startsWith('step')).map((line) => line.split(':')[0])).toEqual([
    'step 1 of at most 3',
    'step 2 of at most 3',
    'step 3 of at most 3',
  ]);
  expect(said.filter((line) => /^each step lasts \d+ s: /.test(line))).toHaveLength(1);
});
