import { beforeEach, describe, expect, it } from 'vitest';
import { Observation, Stats } from '../engine/index.js';
import type { Observed } from './access.js';
import { checkReporting, type ReportMetricsOptions } from './options.js';
import { MetricsReporter } from './reporter.js';
import type { MetricReport, MetricSink } from './sink.js';

const REQUEST = { entity: 'key', resource: 'model' };

/** A limiter that only counts, and a time under the test's hand. */
class World {
  readonly stats = new Stats();
  readonly observation = new Observation();
  readonly endings = new Set<() => Promise<void>>();
  readonly reports: MetricReport[] = [];
  readonly warnings: string[] = [];
  readonly closings: string[] = [];
  tick: () => void = () => undefined;
  /** Lets the deadline of whatever a sink does pass. */
  passDeadline: () => void = () => undefined;
  isStopped = false;
  sink: MetricSink['send'] = (report) => void this.reports.push(report);

  report(options: Partial<ReportMetricsOptions> = {}): MetricsReporter {
    const { stats, observation, endings } = this;
    const cacheStats = () => ({ hits: 7, misses: 2, refreshes: 0, size: 0, ageMs: 0 });
    const clock = { offsetMs: -900, errorMs: 100, correctionMs: -800, isCorrected: true };
    const observed: Observed = { table: 'table', observation, stats: () => ({ ...stats.snapshot(), clock }), cacheStats, endings };
    const sink: MetricSink = { send: (report, signal) => this.sink(report, signal), close: () => void this.closings.push('closed') };
    const runtime = {
      nowMs: () => 1_000,
      steadyMs: () => 0,
      every: (_periodMs: number, work: () => void) => {
        this.tick = work;
        return () => {
          this.isStopped = true;
        };
      },
      sleep: () =>
        new Promise<void>((resolve) => {
          this.passDeadline = resolve;
        }),
      warn: (message: string) => void this.warnings.push(message),
    };
    return new MetricsReporter(observed, checkReporting({ sink, runtime, ...options }));
  }

  /** What was reported of the whole, the last time. */
  last(): Record<string, unknown> {
    return Object.fromEntries((this.reports.at(-1)?.points[0]?.metrics ?? []).map(({ definition, value }) => [definition.name, value]));
  }

  decide(): void {
    this.observation.end(REQUEST, 'admitted', this.observation.begin());
  }
}

let world: World;
beforeEach(() => {
  world = new World();
});

describe('a reporter', () => {
  it('tells at each interval what was counted since the one before', async () => {
    const reporter = world.report();
    world.stats.add('refusedWrites', 4);
    world.stats.request('UpdateItem', 0, 3);
    world.decide();
    world.tick();
    await reporter.flush();
    expect(world.reports[0]).toMatchObject({ namespace: 'Millrace', atMs: 1_000, table: 'table' });
    const first = world.reports[0]?.points[0]?.metrics.map(({ definition, value }) => [definition.name, value]);
    expect(Object.fromEntries(first ?? [])).toMatchObject({ Admitted: 1, RefusedWrites: 4, Requests: 1, ConsumedWriteUnits: 3 });

    world.stats.add('refusedWrites', 1);
    await reporter.flush();
    expect(world.last()).toMatchObject({ Admitted: 0, RefusedWrites: 1, Requests: 0, CacheHits: 0 });
  });

  it('does not tell what was counted before it began', async () => {
    world.stats.add('retries', 9);
    const reporter = world.report();
    await reporter.flush();

    expect(world.last()).toMatchObject({ Retries: 0, CacheHits: 0, CacheMisses: 0 });
  });

  it('tells how far the clock is proved to be wrong', async () => {
    await world.report().flush();

    expect(world.last()).toMatchObject({ ClockError: 800 });
  });

  it('counts a sink that throws, goes on, warns once, and tells the next time', async () => {
    const reporter = world.report();
    const works = world.sink;
    world.sink = () => {
      throw new Error('full');
    };
    await reporter.flush();
    await reporter.flush();
    world.sink = works;
    await reporter.flush();

    expect(reporter.stats()).toEqual({ reports: 1, failures: 2, lastFailure: new Error('full') });
    expect(world.last()).toMatchObject({ ReportFailures: 2 });
    expect(world.warnings).toEqual([expect.stringContaining('full')]);
    await reporter.flush();
    expect(world.last()).toMatchObject({ ReportFailures: 0 });
  });

  it('gives a slow sink up, and tells it so', async () => {
    const reporter = world.report({ timeoutMs: 50 });
    let signal: AbortSignal | undefined;
    world.sink = (_report, given) => {
      signal = given;
      return new Promise(() => undefined);
    };
    const flushed = reporter.flush();
    await new Promise(setImmediate);
    world.passDeadline();
    await flushed;

    expect(signal?.aborted).toBe(true);
    expect(reporter.stats()).toMatchObject({ reports: 0, failures: 1, lastFailure: { message: expect.stringContaining('50 ms') } });
  });

  it('makes one report at a time, and at most one waits for it', async () => {
    const reporter = world.report();
    let release: () => void = () => undefined;
    let sent = 0;
    world.sink = () => {
      sent += 1;
      return new Promise<void>((resolve) => {
        release = resolve;
      });
    };
    const first = reporter.flush();
    await new Promise(setImmediate);
    const [second, third] = [reporter.flush(), reporter.flush()];
    world.tick();
    expect([sent, third]).toEqual([1, second]);
    release();
    await first;
    await new Promise(setImmediate);
    release();
    await second;

    expect(sent).toBe(2);
  });

  it('reports the rest when it closes, once, and then watches nothing', async () => {
    const reporter = world.report();
    world.decide();
    await Promise.all([reporter.close(), reporter.close()]);

    expect(world.last()).toMatchObject({ Admitted: 1 });
    expect([world.isStopped, world.observation.isWatched, world.endings.size, world.closings]).toEqual([true, false, 0, ['closed']]);
    await reporter.flush();
    expect(world.reports).toHaveLength(1);
  });

  it('ends with the limiter', async () => {
    const reporter = world.report();
    world.decide();
    await Promise.all([...world.endings].map((end) => end()));

    expect(world.last()).toMatchObject({ Admitted: 1 });
    expect(reporter.stats().reports).toBe(1);
  });
});

describe('the options of a reporter', () => {
  const sink: MetricSink = { send: () => undefined };
  it.each([
    [{ sink: undefined }, /sink/],
    [{ sink: {} }, /sink/],
    [{ sink, namespace: 'AWS/Mine' }, /namespace/],
    [{ sink, namespace: '' }, /namespace/],
    [{ sink, intervalMs: 999 }, /intervalMs/],
    [{ sink, maxResources: 101 }, /maxResources/],
    [{ sink, topEntities: -1 }, /topEntities/],
    [{ sink, timeoutMs: 0 }, /timeoutMs/],
    [{ sink, interval: 5 }, /interval/],
    [{ sink, runtime: { nowMs: 5 } }, /runtime.nowMs/],
  ])('are refused: %o', (options, message) => {
    expect(() => checkReporting(options as never)).toThrow(
      expect.objectContaining({ code: 'VALIDATION', message: expect.stringMatching(message) }),
    );
  });
});
