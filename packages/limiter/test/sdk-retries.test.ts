import { RateLimiterUnavailable } from '@millrace/limiter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CAPACITY, FaultyWorld, LIMITS, LOSSES, patienceFor, SENDERS, THROTTLES } from './faulty-world.js';

const options = { limits: LIMITS };
const MAX_SENT = 6;

let world: FaultyWorld;
beforeAll(async () => {
  world = await FaultyWorld.launch();
});
afterAll(() => world.close());

describe.each(SENDERS)('with %s', (sender) => {
  describe.each(LOSSES)('when the answer to a write $title', ({ fault, carriedOut }) => {
    it('sends a debit exactly once, and leaks its tokens at most once', async () => {
      const limiter = await world.limiter(patienceFor(fault), sender);
      const name = world.freshName();
      await limiter.acquire(name, 'api', { rpm: 1 }, options);
      world.proxy.clear();
      world.proxy.spoilEach('UpdateItem', fault);

      const error = await limiter.acquire(name, 'api', { rpm: 3 }, options).catch((reason: unknown) => reason);

      expect(error).toBeInstanceOf(RateLimiterUnavailable);
      expect(error).toMatchObject({ code: 'UNAVAILABLE', cause: { name: 'StoreFailure', cause: expect.anything() } });
      expect((error as Error).message).toContain(world.table.table);
      expect(world.proxy.count('UpdateItem')).toBe(1);
      expect(limiter.stats()).toMatchObject({ lostReplies: 1, retries: 0, requests: { UpdateItem: 2 } });
      expect(await world.available(name)).toBe(CAPACITY - 1 - (carriedOut ? 3 : 0));
    });
  });

  // Whose client waits makes no difference to a reply that is late, and waiting takes time.
  const losses = LOSSES.filter(({ fault }) => sender === SENDERS[0] || fault.kind !== 'hold-reply');

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

    it('sends the debit of an adjustment exactly once, and gives back no more than the lease had', async () => {
      const limiter = await world.limiter(patienceFor(fault), sender);
      const name = world.freshName();
      await limiter.acquire(name, 'api', { rpm: 4 }, options);
      const lease = await limiter.acquire(name, 'api', { rpm: 1 }, options);
      world.proxy.clear();
      world.proxy.spoilEach('UpdateItem', fault);

      await expect(lease.adjust({ rpm: 2 })).rejects.toThrow(RateLimiterUnavailable);

      expect(world.proxy.count('UpdateItem')).toBe(1);
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
