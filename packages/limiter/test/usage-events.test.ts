import { StoreFailure } from '@millrace/core';
import { RateLimiterUnavailable } from '@millrace/limiter';
import { describe, expect, it } from 'vitest';
import { BillingWorld, lost } from './billing-world.js';
import { settled } from './sleepers.js';

const down =
  (reason: StoreFailure['reason'] = 'network') =>
  () => {
    throw new StoreFailure(reason, 'no', `the table says ${reason}`);
  };

describe('a use that was taken over', () => {
  it('is written with all others of the next 200 ms, in one transaction', async () => {
    const world = new BillingWorld();
    const recorder = world.recorder();

    await recorder.record(world.use({ amounts: { tpm: 5 } }));
    await world.sleepers.pass(150);
    await recorder.record(world.use({ amounts: { tpm: 7, rpm: 1 }, meta: { model: 'm' }, idempotencyKey: 'job-1', degraded: true }));
    expect([await world.events(), recorder.stats()]).toMatchObject([[], { pending: 2, recorded: 0 }]);
    await world.sleepers.pass(50);
    await settled();

    const at = new Date('2027-05-10T08:30:00.000Z');
    expect(await world.events()).toEqual([
      { id: expect.any(String), at, amounts: { tpm: 5 }, degraded: false },
      {
        id: expect.any(String),
        at: new Date(at.getTime() + 150),
        amounts: { tpm: 7, rpm: 1 },
        idempotencyKey: 'job-1',
        meta: { model: 'm' },
        degraded: true,
      },
    ]);
    expect([world.table.batches, await world.counted()]).toEqual([[2], [2, 12]]);
    expect(recorder.stats()).toEqual({ recorded: 2, repeated: 0, pending: 0, failures: 0 });
    expect([await world.counted('key-1', 'rpm'), world.sleepers.count]).toEqual([[2, 1], 0]);
  });

  it('does not wait once there are 25, and goes with others of its entity first where a transaction does not hold all', async () => {
    const world = new BillingWorld();
    const recorder = world.recorder({ maxDelayMs: 60_000 });

    for (let index = 0; index < 24; index += 1) await recorder.record(world.use({ entity: `key-${index % 2}` }));
    await settled();
    expect(world.table.batches).toEqual([]);
    await recorder.record(world.use({ entity: 'key-0' }));
    await settled();
    expect(world.table.batches).toEqual([25]);

    let letGo: () => void = () => undefined;
    world.table.before = () => new Promise((resolve) => (letGo = resolve));
    for (let index = 0; index < 150; index += 1) await recorder.record(world.use({ entity: `key-${index % 2}` }));
    await settled();
    world.table.before = () => undefined;
    letGo();
    await recorder.flush();

    // A flight leaves with what is there. Of what came meanwhile a transaction holds 98, and their meters.
    expect(world.table.batches).toEqual([25, 26, 98, 26]);
    expect(world.table.transactions.map(({ length }) => length)).toEqual([27, 28, 100, 27]);
    expect([await world.counted('key-0'), await world.counted('key-1')]).toEqual([
      [88, 8_800],
      [87, 8_700],
    ]);
  });

  it('is written at once by a flush, which waits for what was there before it and for nothing else', async () => {
    const world = new BillingWorld();
    const recorder = world.recorder();
    await recorder.flush();
    await recorder.record(world.use());

    let more: Promise<void> | undefined;
    world.table.before = () => {
      more ??= recorder.record(world.use());
      return more;
    };
    await recorder.flush();

    expect([world.table.batches, recorder.stats().pending]).toEqual([[1], 1]);
    await recorder.flush();
    expect((await world.events()).length).toBe(2);
  });

  it('is kept while the table cannot be reached, told of once, and recorded when it can', async () => {
    const world = new BillingWorld();
    const recorder = world.recorder();
    world.table.before = down();
    await recorder.record(world.use());

    await world.sleepers.pass(20_000);
    const tries = world.table.transactions.length;
    expect(tries).toBeGreaterThan(5);
    expect(tries).toBeLessThan(15);
    expect([world.troubles, recorder.stats()]).toEqual([
      ['usage events cannot be written, and wait: the table says network'],
      { recorded: 0, repeated: 0, pending: 1, failures: tries },
    ]);
    world.table.before = () => undefined;
    await world.sleepers.pass(5_000);

    expect([await world.counted(), recorder.stats().pending]).toEqual([[1, 100], 0]);
  });

  it('is one event where its transaction was carried out, and its reply lost', async () => {
    const world = new BillingWorld();
    const recorder = world.recorder();
    await recorder.record(world.use());
    await recorder.record(world.use({ idempotencyKey: 'job-1' }));
    let losses = 2;
    world.table.after = () => {
      losses -= 1;
      if (losses >= 0) lost();
    };

    const flushed = recorder.flush();
    await world.sleepers.pass(1_000);
    await flushed;

    expect([await world.counted(), (await world.events()).length, recorder.stats()]).toEqual([
      [2, 200],
      2,
      { recorded: 2, repeated: 0, pending: 0, failures: 2 },
    ]);
  });
});

describe('uses of one idempotency key', () => {
  it('are one event, that of the first, in one process and over several, whatever else they say', async () => {
    const world = new BillingWorld();
    const [one, other, third] = [world.recorder(), world.recorder(), world.recorder()];
    const use = (tpm: number) => world.use({ amounts: { tpm }, idempotencyKey: 'job-1' });

    await one.record(use(1));
    await one.record(use(2));
    await one.flush();
    world.nowMs += 1;
    await one.record(use(3));
    await other.record(use(4));
    await other.record(world.use({ amounts: { tpm: 50 } }));
    await third.record(use(5));
    await Promise.all([one.flush(), other.flush(), third.flush()]);

    expect(await world.events()).toMatchObject([{ amounts: { tpm: 1 }, idempotencyKey: 'job-1' }, { amounts: { tpm: 50 } }]);
    expect(await world.counted()).toEqual([2, 51]);
    expect([one, other, third].map((recorder) => recorder.stats())).toMatchObject([
      { recorded: 1, repeated: 2 },
      { recorded: 1, repeated: 1 },
      { recorded: 0, repeated: 1 },
    ]);
  });

  it('are several on other entities, and on other resources', async () => {
    const world = new BillingWorld();
    const recorder = world.recorder({ resources: 'all' });

    for (const entity of ['key-1', 'key-2']) {
      for (const resource of ['gpt-4', 'gpt/4']) await recorder.record(world.use({ entity, resource, idempotencyKey: 'a/b' }));
    }
    await recorder.flush();

    expect(recorder.stats()).toMatchObject({ recorded: 4, repeated: 0 });
  });
});

describe('a buffer that is full', () => {
  it('makes commits wait, first come first served, and lets them in as it is written', async () => {
    const world = new BillingWorld();
    const recorder = world.recorder({ maxPending: 2, maxDelayMs: 1_000 });
    const entered: number[] = [];

    for (let index = 0; index < 4; index += 1) {
      void recorder.record(world.use({ amounts: { tpm: index } })).then(() => entered.push(index));
    }
    await settled();
    expect(entered).toEqual([0, 1]);
    await world.sleepers.pass(1_000);
    expect([entered, world.table.batches]).toEqual([[0, 1, 2, 3], [2]]);
    await recorder.close();

    expect((await world.events()).map(({ amounts }) => amounts['tpm'])).toEqual([0, 1, 2, 3]);
  });

  it('refuses a commit that waits in vain, with the cause, and records nothing of it', async () => {
    const world = new BillingWorld();
    const recorder = world.recorder({ maxPending: 1 });
    world.table.before = down('throttled');
    await recorder.record(world.use());

    const waiting = recorder.record(world.use()).catch((error: unknown) => error);
    const tooMany = await recorder.record(world.use()).catch((error: unknown) => error);
    expect(tooMany).toBeInstanceOf(RateLimiterUnavailable);
    await world.sleepers.pass(3_000);
    expect(await waiting).toMatchObject({ code: 'UNAVAILABLE', cause: { reason: 'throttled' } });
    world.table.before = () => undefined;
    await world.sleepers.pass(10_000);

    expect([await world.counted(), recorder.stats()]).toMatchObject([[1, 100], { recorded: 1, pending: 0 }]);
    await recorder.record(world.use());
    await recorder.flush();
    expect(await world.counted()).toEqual([2, 200]);
  });
});

describe('a flush and a close', () => {
  it('that cannot write in time say how many are not written, and keep them', async () => {
    const world = new BillingWorld();
    const recorder = world.recorder({ flushDeadlineMs: 700 });
    world.table.before = down();
    await recorder.record(world.use());
    await recorder.record(world.use());

    const flushed = recorder.flush().catch((error: unknown) => error);
    await world.sleepers.pass(699);
    expect(world.table.transactions.length).toBeGreaterThan(1);
    await world.sleepers.pass(1);

    expect(await flushed).toMatchObject({ code: 'UNAVAILABLE', message: '2 usage events are not written', cause: { reason: 'network' } });
    world.table.before = () => undefined;
    await recorder.flush();
    expect(await world.counted()).toEqual([2, 200]);
  });

  it('say at once what waiting does not mend', async () => {
    const world = new BillingWorld();
    const recorder = world.recorder();
    world.table.before = down('access-denied');
    await recorder.record(world.use());

    await expect(recorder.flush()).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    await expect(recorder.close()).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    await expect(recorder.close()).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    await world.sleepers.pass(60_000);
    expect([world.sleepers.count, recorder.stats().pending]).toEqual([0, 1]);
  });

  it('leave nothing behind, and refuse what comes after, and what still waited for room', async () => {
    const world = new BillingWorld();
    const recorder = world.recorder({ maxPending: 1 });
    await recorder.record(world.use());
    const waiting = recorder.record(world.use()).catch((error: unknown) => error);
    await settled();

    await recorder.close();

    expect(await waiting).toMatchObject({ code: 'CLOSED' });
    await expect(recorder.record(world.use())).rejects.toMatchObject({ code: 'CLOSED' });
    await settled();
    expect([await world.counted(), world.sleepers.count]).toEqual([[1, 100], 0]);
    await recorder.close();
  });
});
