import { beforeAll, describe, expect, it } from 'vitest';
import type { RunReport } from '../src/report.js';
import { runDemo } from '../src/run-demo.js';

const silence = { say: () => undefined, watch: () => ({ [Symbol.dispose]: () => undefined }) };

describe('the demo, for a few seconds on the embedded engine', () => {
  let report: RunReport;
  beforeAll(async () => {
    const printed = await runDemo({ seconds: 4, progress: silence, signal: new AbortController().signal });
    report = JSON.parse(JSON.stringify(printed));
  });

  it('answers calls, refuses some and fails some, and nothing else', () => {
    expect(report.ok).toBe(true);
    expect(report.calls.answered).toBeGreaterThan(0);
    expect(report.calls.failed).toBeGreaterThan(0);
    expect(report.refused.answers).toBeGreaterThan(0);
    expect(report.firstUnexpected).toBeUndefined();
    expect(report.calls.unexpected).toBe(0);
  });

  it('admits nothing beyond the bound of any limit', () => {
    expect(report.beyondTokens).toBe(0);
    for (const { id, limits } of report.entities) {
      for (const { limit, beyondTokens } of limits) expect({ id, limit, beyondTokens }).toEqual({ id, limit, beyondTokens: 0 });
    }
  });

  it('says with every 429 when to come back', () => {
    expect(report.refused.withRetryAfter).toBe(report.refused.answers);
  });

  it('gives back all that failed calls had taken, and what was estimated too high', () => {
    const { reserved, givenBackByFailedCalls, credited, charged, used } = report.tokens;

    expect(report.failedCallsThatGaveBack).toBe(report.calls.failed);
    expect(givenBackByFailedCalls).toBeGreaterThan(0);
    expect(reserved - givenBackByFailedCalls - credited + charged).toBe(used);
  });

  it('leaves in the table what the clients admit to, to the token, at every level', () => {
    expect(report.tableAgrees).toBe(true);
    for (const { id, limits } of report.entities) {
      for (const { limit, used, inTable } of limits) expect({ id, limit, used }).toEqual({ id, limit, used: inTable });
    }
  });

  it('books the same in the usage ledger meanwhile, through the real aggregator: in windows of every type, to the token', () => {
    expect(report.ledgerAgrees).toBe(true);
    expect(report.aggregator).toMatchObject({ givenUp: 0 });
    expect(report.aggregator.batches).toBeGreaterThan(1);
    expect(report.aggregator.windowsWritten).toBeGreaterThan(0);
    for (const { id, limits } of report.entities) {
      for (const { limit, used, inLedger } of limits) {
        expect({ id, limit, inLedger }).toEqual({ id, limit, inLedger: { hour: used, day: used, week: used, month: used } });
      }
    }
  });
});

describe('a demo that is interrupted', () => {
  it('ends before its time, with the reason', async () => {
    const interruption = new AbortController();
    const run = runDemo({ seconds: 120, progress: silence, signal: interruption.signal });
    setTimeout(() => interruption.abort(new Error('enough')), 2_000);

    await expect(run).rejects.toThrow('enough');
  });
});
