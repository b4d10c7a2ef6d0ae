import { Limit } from '@millrace/core';
import { FakeRuntime } from '@millrace/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenTable, openTable } from './open-table.js';

describe('a caller that does not wait', () => {
  let opened: OpenTable;

  beforeAll(async () => {
    opened = await openTable();
  });

  afterAll(() => opened.close());

  it('is told so once, and costs the table nothing', async () => {
    const warnings: (Error & { code?: string })[] = [];
    const hear = (warning: Error): void => void warnings.push(warning);
    process.on('warning', hear);
    const runtime = new FakeRuntime();
    const limiter = await opened.open({ clock: runtime.clock });
    const options = { limits: [Limit.perMinute('rpm', 1)] };
    const ask = () => limiter.tryAcquire('key', 'model', { rpm: 1 }, options);
    await ask();
    await ask();
    const sent = limiter.stats().requests;

    for (let second = 0; second < 3; second += 1) {
      for (let call = 0; call < 1_100; call += 1) expect((await ask()).allowed).toBe(false);
      runtime.advance(300);
    }
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', hear);

    expect(limiter.stats()).toMatchObject({ requests: sent, spins: 1 });
    const ours = warnings.filter(({ code }) => code === 'MILLRACE_SPINNING');
    expect(ours.map(({ message }) => message)).toEqual([expect.stringContaining('wait for retryAfterMs')]);
  });
});
