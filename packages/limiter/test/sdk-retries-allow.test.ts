import type { AcquireOptions } from '@millrace/limiter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, CAPACITY, FaultyWorld, LIMITS, LOSSES, patienceFor, THROTTLES } from './faulty-world.js';

const options: AcquireOptions = { limits: LIMITS, onUnavailable: 'allow' };
const FAULTS = [...LOSSES, ...THROTTLES.slice(0, 1).map(({ type, fault }) => ({ title: `is a ${type}`, fault, carriedOut: false }))];

let world: FaultyWorld;
beforeAll(async () => {
  world = await FaultyWorld.launch();
});
afterAll(() => world.close());

describe("with onUnavailable: 'allow'", () => {
  describe.each(FAULTS)('when the answer to every write $title', ({ fault, carriedOut }) => {
    it('gives a lease that says that it is degraded, and that can be adjusted and settled without an error', async () => {
      const limiter = await world.limiter(patienceFor(fault));
      const name = world.freshName();
      await limiter.acquire(name, 'api', { rpm: 4 }, options);
      world.proxy.spoilEach('UpdateItem', fault);

      const lease = await limiter.acquire(name, 'api', { rpm: 3 }, options);
      await lease.adjust({ rpm: 1 });
      await lease.adjust({ rpm: -2 });
      await lease.release();

      expect(lease).toMatchObject({ degraded: true, settled: true });
      expect(limiter.stats()).toMatchObject({ acquires: 2, admitted: 2, degraded: 1 });
      const left = (await world.available(name)) ?? Number.NaN;
      expect(left).toBeLessThanOrEqual(CAPACITY - 4);
      expect(left).toBeGreaterThanOrEqual(CAPACITY - 4 - 3 - 1);
    });

    it('never gives back what it does not know to have taken', async () => {
      const limiter = await world.limiter(patienceFor(fault));
      const name = world.freshName();
      await limiter.acquire(name, 'api', { rpm: 4 }, options);
      world.proxy.spoilEach('UpdateItem', fault);
      const lease = await limiter.acquire(name, 'api', { rpm: 3 }, options);
      world.proxy.clear();

      await lease.release();

      expect(world.proxy.count('UpdateItem')).toBe(0);
      expect(await world.available(name)).toBe(CAPACITY - 4 - (carriedOut ? 3 : 0));
    });

    it('goes on when a lease that took its tokens cannot be settled', async () => {
      const limiter = await world.limiter(patienceFor(fault));
      const name = world.freshName();
      await limiter.acquire(name, 'api', { rpm: 4 }, options);
      const lease = await limiter.acquire(name, 'api', { rpm: 3 }, options);
      expect(lease.degraded).toBe(false);
      world.proxy.spoilEach('UpdateItem', fault);

      await lease.release();

      expect(lease.degraded).toBe(true);
      expect(await world.available(name)).toBe(CAPACITY - 7 + (carriedOut ? 3 : 0));
    });
  });

  it('goes on when even the entity cannot be read', async () => {
    const limiter = await world.limiter();
    const name = world.freshName();
    world.proxy.spoil(() => answer(500, 'InternalServerError', false));

    const lease = await limiter.acquire(name, 'api', { rpm: 3 }, options);
    await lease.release();

    expect(lease).toMatchObject({ degraded: true, consumed: { rpm: 0 } });
    expect(await world.available(name)).toBe(CAPACITY);
  });

  it('is degraded once its table has gone out of reach, also through withLease and await using', async () => {
    const gone = await FaultyWorld.launch();
    const limiter = await gone.limiter();
    await gone.proxy.close();

    const result = await limiter.withLease('anybody', 'api', { rpm: 1 }, (lease) => lease.degraded, options);
    const lease = await limiter.acquire('anybody', 'api', { rpm: 1 }, options);
    await lease[Symbol.asyncDispose]();

    expect(result).toBe(true);
    expect(lease).toMatchObject({ degraded: true, settled: true });
    await gone.close();
  });

  it('still refuses what does not fit, and what never could', async () => {
    const limiter = await world.limiter();
    const name = world.freshName();
    await limiter.acquire(name, 'api', { rpm: CAPACITY }, options);

    await expect(limiter.acquire(name, 'api', { rpm: 1 }, options)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    world.proxy.spoil(() => answer(500, 'InternalServerError', false));
    await expect(limiter.acquire(name, 'api', { rpm: CAPACITY + 1 }, options)).rejects.toMatchObject({ code: 'VALIDATION' });
  });

  it('leaves the other default in place: without it, the same call throws', async () => {
    const limiter = await world.limiter();
    world.proxy.spoil(() => answer(500, 'InternalServerError', false));

    await expect(limiter.acquire('anybody', 'api', { rpm: 1 }, { limits: LIMITS })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(limiter.stats()).toMatchObject({ admitted: 0, degraded: 0 });
  });
});
