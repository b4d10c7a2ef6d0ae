import { Limit, RateLimiter, RateLimiterUnavailable } from '@millrace/limiter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FaultyProxy } from './faulty-proxy.js';
import { type OpenTable, openTable } from './open-table.js';

const limits = [Limit.perMinute('rpm', 1_000), Limit.perMinute('tpm', 1_000_000)];
const BILLING = { resources: ['billed'], maxDelayMs: 60_000 };
const EVER = { from: new Date(0), to: new Date('2200-01-01') };

let table: OpenTable;
let proxy: FaultyProxy;
beforeAll(async () => {
  table = await openTable();
  proxy = await FaultyProxy.before(String(table.connection.endpoint));
});
afterAll(async () => {
  await table.close();
  await proxy.close();
});

let names = 0;
function freshName(): string {
  names += 1;
  return `key/${names}`;
}

/** Requests by operation, and write units as the engine reported them, of a piece of work. */
async function costOf(limiter: RateLimiter, work: () => Promise<unknown>) {
  const before = limiter.stats();
  await work();
  const { requests, writeUnits, readUnits } = limiter.stats();
  const sent = ([operation, count]: [string, number]): [string, number][] => {
    const more = count - (before.requests[operation] ?? 0);
    return more === 0 ? [] : [[operation, more]];
  };
  return {
    requests: Object.fromEntries(Object.entries(requests).flatMap(sent)),
    writeUnits: writeUnits - before.writeUnits,
    readUnits: readUnits - before.readUnits,
  };
}

async function take(limiter: RateLimiter, entity: string, resource = 'billed', options: object = {}): Promise<void> {
  const lease = await limiter.acquire(entity, resource, { rpm: 1, tpm: 100 }, { limits, ...options });
  await lease.commit();
}

describe('a lease on a resource whose leases are recorded', () => {
  it('is recorded with what it came to and what was noted, once it is committed, and can be asked for by time and by key', async () => {
    const limiter = await table.open({ billing: BILLING });
    const entity = freshName();
    const startMs = Date.now();
    const lease = await limiter.acquire(
      entity,
      'billed',
      { rpm: 1, tpm: 100 },
      { limits, idempotencyKey: 'job/1', meta: { model: 'm', n: 1 } },
    );
    lease.annotate({ n: 2, answer: { id: 'a-1', tags: ['x', null] } });
    await lease.adjust({ tpm: -30 });
    await lease.commit();
    await limiter.withLease(entity, 'billed', { rpm: 2 }, (own) => own.adjust({ tpm: 7 }), { limits });
    expect(await limiter.usage.events({ entity, resource: 'billed', ...EVER })).toEqual({ events: [] });
    await limiter.flush();

    const { events, next } = await limiter.usage.events({ entity, resource: 'billed', ...EVER });
    expect(next).toBeUndefined();
    expect(events).toMatchObject([
      {
        amounts: { rpm: 1, tpm: 70 },
        idempotencyKey: 'job/1',
        meta: { model: 'm', n: 2, answer: { id: 'a-1', tags: ['x', null] } },
        degraded: false,
      },
      { amounts: { rpm: 2, tpm: 7 }, degraded: false },
    ]);
    const [first, second] = events;
    expect(second).not.toHaveProperty('meta');
    expect(first?.at.getTime()).toBeGreaterThanOrEqual(startMs);
    expect(await limiter.usage.findEvent({ entity, resource: 'billed', idempotencyKey: 'job/1' })).toEqual(first);
    expect(await limiter.usage.findEvent({ entity, resource: 'billed', idempotencyKey: 'job/2' })).toBeUndefined();
    expect(await limiter.usage.events({ entity, resource: 'other', ...EVER })).toEqual({ events: [] });
  });

  it('is not recorded if it is released, if its work throws, or if it is never settled', async () => {
    const limiter = await table.open({ billing: BILLING });
    const entity = freshName();
    const thrown = new Error('the work failed');

    await (await limiter.acquire(entity, 'billed', { rpm: 1 }, { limits })).release();
    await expect(limiter.withLease(entity, 'billed', { rpm: 1 }, () => Promise.reject(thrown), { limits })).rejects.toBe(thrown);
    const open = await limiter.acquire(entity, 'billed', { rpm: 1 }, { limits });
    await limiter.flush();

    expect(await limiter.usage.events({ entity, resource: 'billed', ...EVER })).toEqual({ events: [] });
    expect(limiter.stats().events).toEqual({ recorded: 0, repeated: 0, pending: 0, failures: 0 });
    await limiter.close();
    await expect(open.commit()).rejects.toMatchObject({ code: 'CLOSED' });
    expect(open.settled).toBe(false);
  });

  it('comes a page at a time, in either order, in a range whose end is not in it', async () => {
    let nowMs = Date.parse('2027-05-10T08:00:00Z');
    const limiter = await table.open({ billing: BILLING, clock: { nowMs: () => nowMs } });
    const entity = freshName();
    for (let index = 0; index < 5; index += 1) {
      await take(limiter, entity, 'billed', { meta: { index } });
      nowMs += 1_000;
    }
    await limiter.flush();
    const range = { entity, resource: 'billed', from: new Date('2027-05-10T08:00:01Z'), to: new Date('2027-05-10T08:00:04Z') };
    const read = async (options: object) => {
      const pages: unknown[][] = [];
      let after: string | undefined;
      do {
        const page = await limiter.usage.events({ ...range, ...options, ...(after === undefined ? {} : { after }) });
        pages.push(page.events.map(({ meta }) => meta?.['index']));
        after = page.next;
      } while (after !== undefined);
      return pages;
    };

    expect(await read({ pageSize: 2 })).toEqual([[1, 2], [3]]);
    expect(await read({ pageSize: 3 })).toEqual([[1, 2, 3]]);
    expect(await read({ pageSize: 1, order: 'newest-first' })).toEqual([[3], [2], [1]]);
    expect(await read({ to: range.from })).toEqual([[]]);
    expect(await read({ from: new Date(range.from.getTime() - 1), to: range.from })).toEqual([[]]);
    await expect(limiter.usage.events({ ...range, to: EVER.from })).rejects.toMatchObject({ code: 'VALIDATION' });
    await expect(limiter.usage.events({ ...range, after: 'here' })).rejects.toMatchObject({ code: 'VALIDATION' });
  });

  it('is one event although three limiters commit leases of its key at once, round after round', async () => {
    const limiters = await Promise.all([0, 1, 2].map(() => table.open({ billing: BILLING })));
    const entity = freshName();
    for (let round = 0; round < 5; round += 1) {
      const keys = [0, 1, 2, 3].map((index) => `job-${round}-${index}`);
      await Promise.all(limiters.flatMap((limiter) => keys.map((idempotencyKey) => take(limiter, entity, 'billed', { idempotencyKey }))));
      await Promise.all(limiters.map((limiter) => limiter.flush()));
    }

    const { events } = await (limiters[0] as RateLimiter).usage.events({ entity, resource: 'billed', ...EVER });
    expect(new Set(events.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(20);
    expect(events.length).toBe(20);
    const stats = limiters.map((limiter) => limiter.stats().events);
    expect(stats.reduce((sum, own) => sum + (own?.recorded ?? 0), 0)).toBe(20);
    expect(stats.reduce((sum, own) => sum + (own?.repeated ?? 0), 0)).toBe(40);
  });
});

describe('what usage events cost', () => {
  it('two write units each, four with an idempotency key, two more for each entity and batch, in one request, and none for the acquire', async () => {
    const limiter = await table.open({ billing: BILLING });
    const entity = freshName();
    await take(limiter, entity);
    await limiter.flush();
    const recording = (count: number, keyed: boolean) =>
      costOf(limiter, async () => {
        for (let index = 0; index < count; index += 1) {
          await take(limiter, entity, 'billed', keyed ? { idempotencyKey: `${count} ${index}` } : {});
        }
        await limiter.flush();
      });

    const flushed = { TransactWriteItems: 1 };
    expect(await recording(1, false)).toEqual({ requests: { UpdateItem: 1, ...flushed }, writeUnits: 1 + 2 + 2, readUnits: 0 });
    expect(await recording(10, false)).toEqual({ requests: { UpdateItem: 10, ...flushed }, writeUnits: 10 + 2 * 10 + 2, readUnits: 0 });
    expect(await recording(10, true)).toEqual({ requests: { UpdateItem: 10, ...flushed }, writeUnits: 10 + 4 * 10 + 2, readUnits: 0 });
    expect(await costOf(limiter, () => limiter.flush())).toEqual({ requests: {}, writeUnits: 0, readUnits: 0 });
  });

  it('nothing at all on a resource whose leases are not recorded', async () => {
    const [limiter, plain] = [await table.open({ billing: BILLING }), await table.open()];
    const work = (own: RateLimiter, entity: string) =>
      costOf(own, async () => {
        for (let index = 0; index < 3; index += 1) await take(own, entity, 'free');
        await own.flush();
      });
    for (const own of [limiter, plain]) await work(own, freshName());

    const [billed, free] = [await work(limiter, freshName()), await work(plain, freshName())];

    expect(billed).toEqual(free);
    expect(billed.requests).toEqual({ BatchGetItem: 1, UpdateItem: 3 });
    expect([limiter.stats().events, plain.stats().events]).toEqual([{ recorded: 0, repeated: 0, pending: 0, failures: 0 }, undefined]);
    for (const options of [{ meta: {} }, { idempotencyKey: 'job' }]) {
      await expect(limiter.acquire('key', 'free', { rpm: 1 }, { limits, ...options })).rejects.toThrow('leases of "free" are not recorded');
      await expect(plain.acquire('key', 'billed', { rpm: 1 }, { limits, ...options })).rejects.toThrow('are not recorded');
    }
    const lease = await limiter.acquire('key', 'free', { rpm: 1 }, { limits });
    expect(() => lease.annotate({ a: 1 })).toThrow('those of "free" are not');
  });
});

describe('when the answer to the transaction of events', () => {
  it.each([
    { title: 'is lost', fault: { kind: 'lose-reply' } as const },
    { title: 'is a reset connection', fault: { kind: 'reset' } as const },
    { title: 'is half a reply', fault: { kind: 'corrupt' } as const },
  ])('$title, once or every time, they are recorded once', async ({ fault }) => {
    const limiter = await table.open({ billing: { ...BILLING, flushDeadlineMs: 30_000 }, endpoint: proxy.endpoint, deadlineMs: 60_000 });
    const entity = freshName();
    await take(limiter, entity);
    await take(limiter, entity, 'billed', { idempotencyKey: 'job' });
    proxy.clear();
    proxy.spoilEach('TransactWriteItems', fault, 1);
    await limiter.flush();
    expect(proxy.count('TransactWriteItems')).toBe(2);

    await take(limiter, entity);
    await take(limiter, entity, 'billed', { idempotencyKey: 'job' });
    // All five tries of a write, and one more of the next.
    proxy.spoilEach('TransactWriteItems', fault, 6);
    await limiter.flush();

    proxy.clear();
    const { events } = await limiter.usage.events({ entity, resource: 'billed', ...EVER });
    expect(events.map(({ idempotencyKey }) => idempotencyKey ?? '-').sort()).toEqual(['-', '-', 'job']);
    expect(limiter.stats().events).toMatchObject({ recorded: 3, repeated: 1, pending: 0 });
  });

  it('never comes, says so to who closes; the limiter is closed all the same', async () => {
    const options = { billing: { ...BILLING, flushDeadlineMs: 50 }, endpoint: proxy.endpoint };
    const limiter = await RateLimiter.open({ ...table.connection, ...options });
    await take(limiter, freshName());
    proxy.spoilEach('TransactWriteItems', { kind: 'reset' });

    await expect(limiter.close()).rejects.toThrow(RateLimiterUnavailable);

    proxy.clear();
    await expect(limiter.acquire('key', 'billed', { rpm: 1 })).rejects.toMatchObject({ code: 'CLOSED' });
  });
});
