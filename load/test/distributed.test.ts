import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workerBundle } from '../src/build/worker-bundle.js';
import { type RunOutcome, type RunRequest, runDistributed } from '../src/distributed/coordinator.js';
import type { WorkerOrder, WorkerResult } from '../src/distributed/order.js';
import { planWorkers } from '../src/distributed/plan.js';
import type { Point } from '../src/distributed/points.js';
import { processHost } from '../src/distributed/process-host.js';
import { runWorker, type WorkerPlace } from '../src/distributed/run-worker.js';
import { Tally } from '../src/distributed/tally.js';
import type { WorkerHost } from '../src/distributed/worker-host.js';
import { findK6 } from '../src/node/k6-binary.js';
import { steadyCrew } from '../src/plan/crews.js';
import type { RunSettings } from '../src/plan/settings.js';
import { judge } from '../src/plan/thresholds.js';

const scripts = fileURLToPath(new URL('k6', import.meta.url));
const rest = (delayMs: number, signal?: AbortSignal): Promise<void> => sleep(delayMs, undefined, signal === undefined ? {} : { signal });
let place: WorkerPlace;
beforeAll(async () => {
  const { path } = await findK6(process.env, () => undefined);
  const bundleOf = ({ scenario, mode }: RunSettings): string => `${scripts}/${scenario}.${mode}.js`;
  place = { k6: path, bundleOf, environment: process.env, nowMs: Date.now, sleep: rest, graceMs: 10_000 };
}, 1_200_000);

const settings: RunSettings = {
  scenario: 'distributed-script',
  mode: 'direct',
  run: 'run-1',
  table: 'limits',
  namespace: 'default',
  endpoint: 'http://127.0.0.1:9',
  region: 'us-east-1',
  users: 20,
  perSecond: 90,
  durationMs: 3_000,
  cascade: false,
  callers: 1,
  requestTimeoutMs: 1_000,
};
interface Wanted extends Partial<RunRequest> {
  readonly workers?: number;
  readonly durationSec?: number;
}

const request = ({ workers = 3, durationSec = 3, ...more }: Wanted = {}): RunRequest => ({
  settings,
  crews: steadyCrew(workers, durationSec),
  toleranceMs: 20_000,
  ...more,
});
const parts = (host: WorkerHost) => ({ host, nowMs: Date.now, sleep: rest });
const planted = (more: Record<string, string>) => ({ environment: { ...process.env, ...more } });

function admittedIn({ tally }: Pick<RunOutcome, 'tally'>): number {
  return tally.figures(1).counts['admitted'] as number;
}

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
    const host = hostOf(({ worker }) => ({ place: { onPoint, ...planted({ SLOW_MS: worker === 2 ? '60' : '0' }) } }));
    const outcome = await runDistributed(request(), {
      ...parts(host),
      progress: (event) => event.kind === 'answered' && results.push(event.result),
    });
    expect(outcome.completeness).toBe(1);
    expect(admittedIn(outcome)).toBe(points.length);
    const { acquire } = outcome.tally.figures(3_000).series;
    points.sort((a, b) => a - b);
    for (const percent of [50, 95, 99] as const) {
      const truth = points[Math.ceil((percent / 100) * points.length) - 1] as number;
      expect(Math.abs((acquire?.[`p${percent}`] as number) / truth - 1), `p${percent}`).toBeLessThan(0.01);
    }
    const p95s = results.map(({ series }) => Tally.fromJSON(series).figures(3_000).series['acquire']?.p95 as number);
    const average = p95s.reduce((sum, p95) => sum + p95, 0) / p95s.length;
    const truth = points[Math.ceil(0.95 * points.length) - 1] as number;
    expect(Math.abs(average / truth - 1)).toBeGreaterThan(0.2);
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
    expect(outcome.completeness).toBeCloseTo(2 / 3);
    const whole = outcome.workers
      .filter(({ outcome }) => outcome === 'finished')
      .map(({ series }) => admittedIn({ tally: Tally.fromJSON(series) }));
    // The point that ended it may have come before the counter of its turn.
    expect(admittedIn(outcome)).toBeGreaterThanOrEqual(whole.reduce((sum, each) => sum + each, 19));
    expect(admittedIn(outcome)).toBeLessThan(272);
  });

  it('by missing the barrier, runs nothing beside the others', { timeout: 60_000 }, async () => {
    const host = hostOf((order) => (order.worker === 0 ? { order: { ...order, startAtMs: order.startAtMs - 3_600_000 } } : {}));
    const outcome = await runDistributed(request({ workers: 2, durationSec: 1 }), parts(host));
    expect(outcomes(outcome.workers)).toEqual(['late', 'finished']);
    expect(outcome.workers[0]?.reason).toMatch(/after the start/);
    expect(Tally.fromJSON(outcome.workers[0]?.series ?? {}).figures(1).counts['admitted'] ?? 0).toBe(0);
    expect(outcome.completeness).toBe(0.5);
  });

  it('by its script, says what k6 said', { timeout: 60_000 }, async () => {
    const host = hostOf((order) =>
      order.worker === 0 ? { order: { ...order, settings: { ...order.settings, scenario: 'no-such-script' } } } : {},
    );
    const outcome = await runDistributed(request({ workers: 2, durationSec: 1 }), parts(host));
    expect(outcomes(outcome.workers)).toEqual(['failed', 'finished']);
    expect(outcome.workers[0]?.reason).toMatch(/code 255.*no-such-script/s);
  });

  it('by not ending, is ended', { timeout: 60_000 }, async () => {
    const host = hostOf(({ worker }) => (worker === 0 ? { place: { graceMs: 500, ...planted({ PLANTED: 'linger' }) } } : {}));
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
    expect(outcome.completeness).toBe(0);
    expect(outcome.workers[0]).toMatchObject({ outcome: 'lost', reason: expect.stringContaining('no answer') });
  });
});

describe('a threshold', () => {
  it('that the whole run breaks fails it, though each share would pass', { timeout: 60_000 }, async () => {
    const outcome = await runDistributed(request({ durationSec: 1 }), parts(hostOf(() => ({}))));
    const few = [{ metric: 'admitted', stat: 'count', op: '<', value: 50 }] as const;
    expect(judge(few, outcome.tally.figures(1_000))).toEqual([expect.objectContaining({ ok: false })]);
    for (const { series } of outcome.workers)
      expect(judge(few, Tally.fromJSON(series).figures(1_000))).toEqual([expect.objectContaining({ ok: true })]);
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
    K6_BIN: place.k6,
    MILLRACE_SCENARIOS: scripts,
    AWS_ACCESS_KEY_ID: 'none',
    AWS_SECRET_ACCESS_KEY: 'none',
    AWS_REGION: 'us-east-1',
  });

  it('answers its parent', { timeout: 60_000 }, async () => {
    const outcome = await runDistributed(request({ workers: 2, durationSec: 1 }), parts(processHost(entry, environment())));
    expect(outcome).toMatchObject({ completeness: 1, host: 'local' });
    // k6 drops what is due and finds no user; no turn is made twice.
    expect(admittedIn(outcome)).toBeGreaterThan(0);
    expect(admittedIn(outcome)).toBeLessThanOrEqual(92);
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

  it('runs as the function of a rig', { timeout: 60_000 }, async () => {
    const file = join(folder, 'lambda.mjs');
    await build({ ...workerBundle(fileURLToPath(new URL('../src/distributed/lambda.ts', import.meta.url))), outfile: file });
    const { handler } = (await import(file)) as { handler: (order: WorkerOrder, context: object) => Promise<WorkerResult> };
    const run = async (remainingMs: number): Promise<WorkerResult> => {
      const [order] = ordersOf(1);
      Object.assign(process.env, environment());
      return handler(order as WorkerOrder, { getRemainingTimeInMillis: () => remainingMs });
    };
    expect(await run(60_000)).toMatchObject({ outcome: 'finished', worker: 0, series: { admitted: { sum: expect.any(Number) } } });
    // Where its time is nearly over, it answers what it has rather than nothing.
    expect((await run(10_500)).outcome).toBe('killed');
  });

  it('runs as the entry of a container, and leaves its answer in the bucket', { timeout: 60_000 }, async () => {
    const stored = new Map<string, string>();
    const bucket = createServer((request, response) => {
      let body = '';
      request
        .on('data', (chunk) => (body += chunk))
        .on('end', () => {
          stored.set(request.url?.split('?')[0] ?? '', body);
          response.end();
        });
    });
    await new Promise<void>((resolve) => bucket.listen(0, '127.0.0.1', resolve));
    const { port } = bucket.address() as AddressInfo;
    const [order] = ordersOf(1);
    const given = { ...order, results: { bucket: 'results', key: 'runs/run-1/0-0.json' } };
    const child = spawn(process.execPath, [entry], {
      env: { ...environment(), AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`, MILLRACE_ORDER: JSON.stringify(given) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    bucket.close();
    expect(code).toBe(0);
    const text = stored.get('/results/runs/run-1/0-0.json') ?? '';
    expect(text).toContain('"outcome":"finished"');
  });
});

/** What each of some workers is told for a run of a second that begins soon. */
function ordersOf(workers: number): readonly WorkerOrder[] {
  return planWorkers({ crews: steadyCrew(workers, 1), leadSec: 0 }).map(({ worker, slice, segment, sequence }) => ({
    runId: 'run-1',
    worker,
    slice,
    segment,
    sequence,
    startAtMs: Date.now() + 1_000,
    toleranceMs: 20_000,
    durationSec: 1,
    settings: { ...settings, part: { fromMs: 0, toMs: 1_000 } },
  }));
}
