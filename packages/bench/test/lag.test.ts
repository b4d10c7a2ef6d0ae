import { describe, expect, it } from 'vitest';
import { openWriter, type StartWriter } from '../src/ledger/lag/writer.js';
import { reportLedger } from '../src/ledger/ledger-bench.js';
import { ledgerMarkdown, ledgerText } from '../src/ledger/report.js';
import { WrongTotals } from '../src/ledger/totals.js';
import { openWorker } from '../src/ledger/worker.js';

const quiet = { write: () => undefined };
const LAG = { perSecond: 1_000, seconds: 0.2, keys: 8, writers: 4, batchWindowMs: 0 };

function reported(start: StartWriter = openWriter) {
  return reportLedger({ cells: [], repetitions: 1, check: true, json: false, lag: LAG }, quiet, openWorker, start);
}

describe('changes that are offered to an engine while its stream is pumped', () => {
  it('are all in the windows, each by a record of its own, and their lag is told', async () => {
    const report = await reported();
    const { lag } = report;

    expect(lag).toMatchObject({ server: report.servers[0], offeredPerSecond: 1_000, changes: 200, keys: 8, totalsChecked: 8 * 4 });
    expect(lag?.reachedPerSecond).toBeGreaterThan(0);
    expect(lag?.invocations).toBeGreaterThan(1);
    const { p50Ms = 0, p95Ms = 0, maxMs = 0 } = lag ?? {};
    expect([p50Ms >= 0, p95Ms >= p50Ms, maxMs >= p95Ms]).toEqual([true, true, true]);
    expect(report.promises.at(-1)?.measured).not.toContain('not measured');
    for (const text of [ledgerText(report), ledgerMarkdown(report)]) expect(text).toMatch(/lag: .*\n[\s\S]*reached\/s/);
  });

  it('end the bench where one that was sent is not in the windows', async () => {
    const boasting: StartWriter = async (task) => {
      const writer = await openWriter(task);
      return {
        async write() {
          const { sentAtMs, elapsedMs } = await writer.write();
          return { sentAtMs: sentAtMs.map((sent, key) => (key === 3 ? [...sent, Date.now()] : sent)), elapsedMs };
        },
        [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
      };
    };

    await expect(reported(boasting)).rejects.toThrow(WrongTotals);
  });
});
