import { Limit, RateLimiterUnavailable } from '@millrace/limiter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CAPACITY, FaultyWorld, LIMITS, LOSSES, MAX_SENT, patienceFor, SENDERS, THROTTLES } from './faulty-world.js';

const options = { limits: LIMITS };

let world: FaultyWorld;
beforeAll(async () => {
  world = await FaultyWorld.launch();
});
afterAll(() => world.close());

describe.each(SENDERS)('with %s', (sender) => {
  // Whose client waits makes no difference to a reply that is late, and waiting takes time.
  const losses = LOSSES.filter(({ fault }) => sender === SENDERS[0] || fault.kind !== 'hold-reply');

  describe.each(losses)('when the answer to a write $title', ({ fault, carriedOut }) => {
    it('once, sends the debit again under its name, and it counts once', async () => {
      const limiter = await world.limiter(patienceFor(fault), sender);
      const name = world.freshName();
      await limiter.acquire(name, 'api', { rpm: 1 }, options);
      world.proxy.clear();
      world.proxy.spoilEach('UpdateItem', fault, 1);

      const lease = await limiter.acquire(name, 'api', { rpm: 3 }, options);

      expect(lease).toMatchObject({ consumed: { rpm: 3 }, remaining: { rpm: CAPACITY - 4 }, degraded: false });
      expect(world.proxy.count('UpdateItem')).toBe(2);
      expect(limiter.stats()).toMatchObject({ lostReplies: 0, retries: 1, recoveredReplies: carriedOut ? 1 : 0 });
      expect(await world.available(name)).toBe(CAPACITY - 4);
      await lease.release();
      expect(await world.available(name)).toBe(CAPACITY - 1);
    });

    it('each time, sends the debit a bounded number of times, says that the store is unavailable, and leaks its tokens at most once', async () => {
      const limiter = await world.limiter(patienceFor(fault), sender);
      const name = world.freshName();
      await limiter.acquire(name, 'api', { rpm: 1 }, options);
      world.proxy.clear();
      world.proxy.spoilEach('UpdateItem', fault);

      const error = await limiter.acquire(name, 'api', { rpm: 3 }, options).catch((reason: unknown) => reason);

      expect(error).toBeInstanceOf(RateLimiterUnavailable);
      expect(error).toMatchObject({ code: 'UNAVAILABLE', cause: { name: 'StoreFailure', cause: expect.anything() } });
      expect((error as Error).message).toContain(world.table.table);
      const sent = world.proxy.count('UpdateItem');
      expect(sent).toBe(MAX_SENT);
      expect(limiter.stats()).toMatchObject({ lostReplies: 1, recoveredReplies: 0, retries: sent - 1, requests: { UpdateItem: sent + 1 } });
      expect(await world.available(name)).toBe(CAPACITY - 1 - (carriedOut ? 3 : 0));
    });
  });

  describe.each(losses)('when the answer to a settling write $title', ({ fault, carriedOut }) => {
    it.each([
      { title: 'release', settle: 'release' as const },
      { title: 'credit of an adjustment', settle: 'adjust' as const },
    ])('sends a $title exactly once, and mints nothing', async ({ settle }) => {
      const limiter = await world.limiter(patienceFor(fault), sender);
      const name = world.freshName();
      await limiter.acquire(name, 'api', { rpm: 4 }, options);
      const lease = await limiter.acquire(name, 'api', { rpm: 3 }, options);
      world.proxy.clear();
      world.proxy.spoilEach('UpdateItem', fault);

      await expect(settle === 'release' ? lease.release() : lease.adjust({ rpm: -3 })).rejects.toThrow(RateLimiterUnavailable);

      expect(world.proxy.count('UpdateItem')).toBe(1);
      expect(await world.available(name)).toBe(CAPACITY - 7 + (carriedOut ? 3 : 0));
      world.proxy.clear();
      await lease.release().catch(() => undefined);
      expect(world.proxy.count('UpdateItem')).toBe(0);
    });

    it('sends an adjustment that takes of one limit and gives back of another exactly once', async () => {
      const limiter = await world.limiter(patienceFor(fault), sender);
      const name = world.freshName();
      const limits = [...LIMITS, Limit.perMinute('tpm', 50)];
      await limiter.acquire(name, 'api', { rpm: 4, tpm: 10 }, { limits });
      const lease = await limiter.acquire(name, 'api', { rpm: 3, tpm: 10 }, { limits });
      world.proxy.clear();
      world.proxy.spoilEach('UpdateItem', fault);

      await expect(lease.adjust({ rpm: -3, tpm: 5 })).rejects.toThrow(RateLimiterUnavailable);

      expect(world.proxy.count('UpdateItem')).toBe(1);
      world.proxy.clear();
      const left = { rpm: CAPACITY - 7 + (carriedOut ? 3 : 0), tpm: 30 - (carriedOut ? 5 : 0) };
      expect(await limiter.available(name, 'api', { limits })).toEqual(left);
    });

    it('once, sends the debit of an adjustment again under its name, and it counts once', async () => {
      const limiter = await world.limiter(patienceFor(fault), sender);
      const name = world.freshName();
      await limiter.acquire(name, 'api', { rpm: 4 }, options);
      const lease = await limiter.acquire(name, 'api', { rpm: 1 }, options);
      world.proxy.clear();
      world.proxy.spoilEach('UpdateItem', fault, 1);

      await lease.adjust({ rpm: 2 });

      expect(world.proxy.count('UpdateItem')).toBe(2);
      expect(lease.consumed).toEqual({ rpm: 3 });
      expect(await world.available(name)).toBe(CAPACITY - 7);
      await lease.release();
      expect(await world.available(name)).toBe(CAPACITY - 4);
    });

    it('each time, leaks the debit of an adjustment at most once, and gives back no more than the lease had', async () => {
      const limiter = await world.limiter(patienceFor(fault), sender);
      const name = world.freshName();
      await limiter.acquire(name, 'api', { rpm: 4 }, options);
      const lease = await limiter.acquire(name, 'api', { rpm: 1 }, options);
      world.proxy.clear();
      world.proxy.spoilEach('UpdateItem', fault);

      await expect(lease.adjust({ rpm: 2 })).rejects.toThrow(RateLimiterUnavailable);

      expect(world.proxy.count('UpdateItem')).toBe(MAX_SENT);
      expect(lease.consumed).toEqual({ rpm: 1 });
      world.proxy.clear();
      await lease.release();
      expect(await world.available(name)).toBe(CAPACITY - 4 - (carriedOut ? 2 : 0));
    });
  });

  describe.each(THROTTLES)('when writes are answered with $type', ({ fault }) => {
    it('sends a debit again a bounded number of times, takes nothing, and says that the store is unavailable', async () => {
      const limiter = await world.limiter(patienceFor(fault), sender);
      const name = world.freshName();
      await limiter.acquire(name, 'api', { rpm: 1 }, options);
      world.proxy.clear();
      world.proxy.spoilEach('UpdateItem', fault);

      await expect(limiter.acquire(name, 'api', { rpm: 3 }, options)).rejects.toMatchObject({ code: 'UNAVAILABLE' });

      const sent = world.proxy.count('UpdateItem');
      expect(sent).toBeGreaterThan(1);
      expect(sent).toBeLessThanOrEqual(MAX_SENT);
      expect(limiter.stats()).toMatchObject({ retries: sent - 1, lostReplies: 0, requests: { UpdateItem: sent + 1 } });
      expect(await world.available(name)).toBe(CAPACITY - 1);
    });

    it('sends a debit and a credit again until they pass, and each then counts once', async () => {
      const limiter = await world.limiter(patienceFor(fault), sender);
      const name = world.freshName();
      await limiter.acquire(name, 'api', { rpm: 1 }, options);
      world.proxy.clear();

      world.proxy.spoilEach('UpdateItem', fault, 2);
      const lease = await limiter.acquire(name, 'api', { rpm: 3 }, options);
      expect(await world.available(name)).toBe(CAPACITY - 4);
      world.proxy.spoilEach('UpdateItem', fault, 2);
      await lease.release();

      expect(world.proxy.count('UpdateItem')).toBe(6);
      expect(limiter.stats()).toMatchObject({ retries: 4, lostReplies: 0 });
      expect(await world.available(name)).toBe(CAPACITY - 1);
    });
  });
});
