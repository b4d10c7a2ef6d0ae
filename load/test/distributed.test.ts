import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workerBundle } from '../src/build/worker-bundle.js';
import { type RunRequest, runDistributed } from '../src/distributed/coordinator.js';
import type { WorkerOrder, WorkerResult } from '../src/distributed/order.js';
import type { Point } from '../src/distributed/points.js';
import { processHost } from '../src/distributed/process-host.js';
import { runWorker, type WorkerPlace } from '../src/distributed/run-worker.js';
import type { WorkerHost } from '../src/distributed/worker-host.js';

const k6 = process.env['K6_BIN'] as string;
const scripts = fileURLToPath(new URL('.', import.meta.url));
const rest = (delayMs: number, signal?: AbortSignal): Promise<void> => sleep(delayMs, undefined, signal === undefined ? {} : { signal });
const place: WorkerPlace = {
  k6,
  bundleOf: (name) => `${scripts}${name}.js`,
  environment: process.env,
  nowMs: Date.now,
  sleep: rest,
  graceMs: 10_000,
};
const thresholds = { acquire: ['p(95)<1000'], admitted: ['count>=1'], limiter_errors: ['rate<0.01'] };
const request = (more: Partial<RunRequest> = {}): RunRequest => ({
  runId: 'run-1',
  scenario: 'distributed-script',
  workers: 3,
  durationSec: 3,
  settings: { RATE: '90' },
  thresholds,
  toleranceMs: 20_000,
  ...more,
});
const parts = (host: WorkerHost) => ({ host, nowMs: Date.now, sleep: rest });

/** Workers of this process, each changed as its test wants it. */
function hostOf(change: (order: WorkerOrder) => { readonly order?: WorkerOrder; readonly place?: Partial<WorkerPlace> }): WorkerHost {
  return {
    name: 'here',
    leadSec: 1,
    run: (order, signal) => {
      const changed = change(order);
      return runWorker(changed.order ?? order, { ...place, signal, ...changed.place });
    },
  };
}

describe('workers with uneven delays', () => {
  it('come to the percentiles of all their points, which the mean of theirs is far from', { timeout: 60_000 }, async () => {
    const points: number[] = [];
    const onPoint = ({ name, value }: Point): void => void (name === 'acquire' && points.push(value));
    const results: WorkerResult[] = [];
    const host = hostOf((order) => ({
      order: { ...order, settings: { ...order.settings, SLOW_MS: String(order.worker === 2 ? 60 : 0) } },
      place: { onPoint },
    }));
    const outcome = await runDistributed(request(), {
      ...parts(host),
      progress: (event) => event.kind === 'answered' && results.push(event.result),
    });
    expect(outcome).toMatchObject({ verdict: 'passed', completeness: 1 });
    const merged = outcome.tally.series.get('acquire');
    if (merged?.type !== 'trend') throw new Error('no acquire');
    expect(merged.sketch.count).toBe(points.length);
    points.sort((a, b) => a - b);
    for (const percent of [50, 95, 99]) {
      const truth = points[Math.ceil((percent / 100) * points.length) - 1] as number;
      expect(Math.abs(merged.sketch.percentile(percent) / truth - 1), `p${percent}`).toBeLessThan(0.01);
    }
    const sketches = results.map(({ series }) => series['acquire']).filter((kept) => kept?.type === 'trend');
    expect(sketches).toHaveLength(3);
  });
});

describe('a worker that fails', () => {
  const outcomes = (workers: readonly WorkerResult[]): string[] => workers.map(({ outcome }) => outcome);

  it('by being killed in mid-run, leaves what it had counted, and the run is partial', { timeout: 60_000 }, async () => {
    const killed = new AbortController();
    let seen = 0;
    const onPoint = ({ name }: Point): void => {
      if (name === 'acquire' && ++seen === 20) killed.abort();
    };
    const host = hostOf(({ worker }) => (worker === 1 ? { place: { signal: killed.signal, onPoint } } : {}));
    const outcome = await runDistributed(request(), parts(host));
    expect(outcomes(outcome.workers)).toEqual(['finished', 'killed', 'finished']);
    expect(outcome).toMatchObject({ verdict: 'partial', completeness: 2 / 3 });
    const admitted = outcome.tally.series.get('admitted');
    if (admitted?.type !== 'counter') throw new Error('no admitted');
    expect(admitted.sum).toBeGreaterThanOrEqual(180 + 20 - 2);
    expect(admitted.sum).toBeLessThan(272);
  });

  it('by missing the barrier, runs nothing beside the others', { timeout: 60_000 }, async () => {
    const host = hostOf((order) => (order.worker === 0 ? { order: { ...order, startAtMs: order.startAtMs - 3_600_000 } } : {}));
    const outcome = await runDistributed(request({ workers: 2, durationSec: 1 }), parts(host));
    expect(outcomes(outcome.workers)).toEqual(['late', 'finished']);
    expect(outcome.workers[0]?.reason).toMatch(/after the start/);
    expect(outcome.workers[0]?.series['acquire']).not.toMatchObject({ count: 1 });
    expect(outcome.verdict).toBe('partial');
  });

  it('by its script, says what k6 said', { timeout: 60_000 }, async () => {
    const host = hostOf((order) => (order.worker === 0 ? { order: { ...order, scenario: 'no-such-script' } } : {}));
    const outcome = await runDistributed(request({ workers: 2, durationSec: 1 }), parts(host));
    expect(outcomes(outcome.workers)).toEqual(['failed', 'finished']);
    expect(outcome.workers[0]?.reason).toMatch(/code 255.*no-such-script/s);
  });

  it('by not ending, is ended', { timeout: 60_000 }, async () => {
    const host = hostOf((order) =>
      order.worker === 0 ? { order: { ...order, settings: { ...order.settings, MODE: 'linger' } }, place: { graceMs: 500 } } : {},
    );
    const outcome = await runDistributed(request({ workers: 2, durationSec: 1 }), parts(host));
    expect(outcomes(outcome.workers)).toEqual(['killed', 'finished']);
    expect(outcome.workers[0]?.reason).toBe('still running 500 ms after its end');
  });

  it('by having no k6, says so', { timeout: 60_000 }, async () => {
    const outcome = await runDistributed(request({ workers: 1, durationSec: 1 }), parts(hostOf(() => ({ place: { k6: 'no-such-k6' } }))));
    expect(outcome.workers[0]).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('could not be started') });
  });

  it('by never answering, is given up', async () => {
    const silent: WorkerHost = { name: 'silent', leadSec: 0, run: () => new Promise(() => undefined) };
    const outcome = await runDistributed(request({ workers: 1, durationSec: 0.1, answerWithinMs: 50 }), parts(silent));
    expect(outcome).toMatchObject({ verdict: 'partial', completeness: 0 });
    expect(outcome.workers[0]).toMatchObject({ outcome: 'lost', reason: expect.stringContaining('no answer') });
  });
});

describe('a threshold', () => {
  it('that the whole run breaks fails it, though each share would pass', { timeout: 60_000 }, async () => {
    const outcome = await runDistributed(request({ durationSec: 1, thresholds: { admitted: ['count<50'] } }), parts(hostOf(() => ({}))));
    expect(outcome.verdict).toBe('failed');
    for (const { series } of outcome.workers)
      expect(series['admitted']).toMatchObject({ sum: expect.toSatisfy((sum: number) => sum < 50) });
  });
});

describe('the wrapper as a process', () => {
  let folder: string;
  let entry: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-worker-'));
    entry = join(folder, 'worker.mjs');
    await build({ ...workerBundle(fileURLToPath(new URL('../src/distributed/worker-main.ts', import.meta.url))), outfile: entry });
  });
  afterAll(() => rm(folder, { recursive: true }));
  const environment = (): NodeJS.ProcessEnv => ({
    ...process.env,
    MILLRACE_SCENARIOS: scripts.replace(/\/$/, ''),
    AWS_ACCESS_KEY_ID: 'none',
    AWS_SECRET_ACCESS_KEY: 'none',
    AWS_REGION: 'us-east-1',
  });

  it('answers its parent', { timeout: 60_000 }, async () => {
    const outcome = await runDistributed(request({ workers: 2, durationSec: 1 }), parts(processHost(entry, environment())));
    expect(outcome).toMatchObject({ verdict: 'passed', host: 'local' });
    const admitted = outcome.tally.series.get('admitted');
    expect(admitted).toMatchObject({ sum: expect.toSatisfy((sum: number) => sum >= 89 && sum <= 92) });
  });

  it('is lost when it dies, and the others are not', { timeout: 60_000 }, async () => {
    const inner = processHost(entry, environment());
    const host: WorkerHost = {
      ...inner,
      run: (order, signal) =>
        order.worker === 0 ? processHost(entry, environment(), ['--max-old-space-size=1']).run(order, signal) : inner.run(order, signal),
    };
    const outcome = await runDistributed(request({ workers: 2, durationSec: 1 }), parts(host));
    expect(outcome.workers.map(({ outcome }) => outcome)).toEqual(['lost', 'finished']);
    expect(outcome.workers[0]?.reason).toMatch(/worker 0 (ended|was ended).* without an answer/);
  });

  it('tells of a results bucket that refuses, and keeps its figures', { timeout: 60_000 }, async () => {
    const outcome = await runDistributed(
      request({ workers: 1, durationSec: 1, resultsBucket: 'no-such-bucket' }),
      parts(processHost(entry, { ...environment(), AWS_ENDPOINT_URL: 'http://127.0.0.1:9' })),
    );
    expect(outcome.workers[0]).toMatchObject({ outcome: 'finished', notStored: expect.stringContaining('no-such-bucket refused') });
  });
});
