import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { RunSettings } from '../plan/settings.js';
import { runDistributed } from './coordinator.js';
import type { WorkerOrder, WorkerResult } from './order.js';
import type { WorkerHost } from './worker-host.js';

const settings = { scenario: 'simple', run: 'run-1', users: 40 } as RunSettings;

/** A time that goes on only when somebody waits for it: to the end of the shortest wait. */
class Time {
  nowMs = 1_000_000;
  readonly #waiting = new Set<{ readonly untilMs: number; readonly wake: () => void }>();

  readonly sleep = (delayMs: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const one = { untilMs: this.nowMs + delayMs, wake: resolve };
      this.#waiting.add(one);
      signal?.addEventListener('abort', () => {
        this.#waiting.delete(one);
        reject(new Error('ended'));
      });
    });

  async until<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    void work.finally(() => (isOver = true)).catch(() => undefined);
    for (;;) {
      await turn();
      if (isOver) return work;
      const [next] = [...this.#waiting].sort((a, b) => a.untilMs - b.untilMs);
      if (next === undefined) throw new Error('nobody waits, and nothing goes on');
      this.#waiting.delete(next);
      this.nowMs = next.untilMs;
      next.wake();
    }
  }
}

/** Workers that take their time, or fail by what is planted. */
function hostAt(time: Time, launched: unknown[], failing: (order: WorkerOrder) => boolean = () => false): WorkerHost {
  return {
    name: 'planted',
    leadSec: 20,
    async run(order): Promise<WorkerResult> {
      const { runId, worker, slice, segment, startAtMs, durationSec, settings: ofWorker } = order;
      launched.push([(time.nowMs - 1_020_000) / 1_000, slice, segment, ofWorker.part]);
      if (failing(order)) throw new Error('no capacity');
      await time.sleep(startAtMs + durationSec * 1_000 - time.nowMs);
      return { runId, worker, slice, outcome: 'finished', ranMs: durationSec * 1_000, series: {}, droppedLines: 0 };
    },
  };
}

const crews = [
  { workers: 1, fromSec: 0, toSec: 60, users: 10 },
  { workers: 3, fromSec: 60, toSec: 120, users: 40 },
];

describe('crews of different sizes', () => {
  it('are launched by the lead before their time, with a share and a part of their own', async () => {
    const [time, launched] = [new Time(), [] as unknown[]];
    const run = runDistributed({ settings, crews }, { host: hostAt(time, launched), nowMs: () => time.nowMs, sleep: time.sleep });
    const outcome = await time.until(run);

    expect(launched).toEqual([
      [-20, 0, '0:1', { fromMs: 0, toMs: 60_000, users: 10 }],
      ...['0:1/3', '1/3:2/3', '2/3:1'].map((segment) => [40, 1, segment, { fromMs: 60_000, toMs: 120_000, users: 40 }]),
    ]);
    expect(outcome.completeness).toBe(1);
  });

  it('of which a worker is lost miss its share of its time', async () => {
    const time = new Time();
    const host = hostAt(time, [], ({ slice, worker }) => slice === 1 && worker === 2);
    const outcome = await time.until(runDistributed({ settings, crews }, { host, nowMs: () => time.nowMs, sleep: time.sleep }));

    expect(outcome.completeness).toBeCloseTo((60 + (60 * 2) / 3) / 120);
    expect(outcome.workers.at(-1)).toMatchObject({ outcome: 'lost', reason: 'no capacity' });
  });
});
