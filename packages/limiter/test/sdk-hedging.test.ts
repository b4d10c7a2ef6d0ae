import { ValidationError } from '@millrace/core';
import type { RateLimiter } from '@millrace/limiter';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CAPACITY, FaultyWorld, LIMITS } from './faulty-world.js';

const options = { limits: LIMITS };
/** A busy machine must not look slow: so long nothing takes but what is held. */
const FLOOR_MS = 400;

let world: FaultyWorld;
let limiter: RateLimiter;
beforeAll(async () => {
  world = await FaultyWorld.launch();
});
afterAll(() => world.close());
beforeEach(async () => {
  limiter = await world.limiter({ hedging: { budget: 0.5, floorMs: FLOOR_MS } });
  // It has to learn what is slow, and to save something up.
  for (let calls = 0; calls < 64; calls += 1) await limiter.acquire(world.freshName(), 'api', { rpm: 1 }, options);
  world.proxy.clear();
});

const SLOW = [
  { title: 'whose reply is slow', kind: 'hold-reply' },
  { title: 'that is slow to arrive', kind: 'hold-request' },
] as const;

describe('with hedging', () => {
  it.each(SLOW)('a debit $title is answered by its second copy, and counts once', async ({ kind }) => {
    const name = world.freshName();
    const before = limiter.stats().requests['UpdateItem'] ?? 0;
    world.proxy.spoilEach('UpdateItem', { kind }, 1);

    const lease = await limiter.acquire(name, 'api', { rpm: 3 }, options);

    expect(lease).toMatchObject({ consumed: { rpm: 3 }, remaining: { rpm: CAPACITY - 3 } });
    expect(limiter.stats()).toMatchObject({ hedges: 1, hedgesWon: 1, retries: 0, lostReplies: 0 });
    world.proxy.letGo();
    await world.proxy.idle();
    expect(world.proxy.count('UpdateItem')).toBe(2);
    expect(await world.available(name)).toBe(CAPACITY - 3);
    await lease.release();
    expect(await world.available(name)).toBe(CAPACITY);
    expect(limiter.stats().requests['UpdateItem']).toBe(before + 3);
  });

  it.each(SLOW)('callers of one key are taken for once each while first copies $title come late', async ({ kind }) => {
    const name = world.freshName();
    // Each third write, but never the second copy of one: that goes to nobody who waits for it.
    let writes = 0;
    const seen = new Set<string>();
    world.proxy.spoil(({ operation, body }) => {
      if (operation !== 'UpdateItem' || seen.has(body)) return undefined;
      seen.add(body);
      writes += 1;
      return writes % 3 === 0 ? { kind } : undefined;
    });

    let taken = 0;
    for (let call = 0; call < CAPACITY; call += 1) {
      const verdict = await limiter.tryAcquire(name, 'api', { rpm: 1 }, options);
      if (verdict.allowed) taken += 1;
    }
    world.proxy.letGo();
    await world.proxy.idle();

    expect(taken).toBe(CAPACITY);
    expect(await world.available(name)).toBe(0);
    expect(limiter.stats()).toMatchObject({ hedges: 3, hedgesWon: 3 });
  });

  it('a slow debit of a group, and of a shared parent, is resolved for all', async () => {
    const parent = world.freshName();
    await limiter.entities.create(parent);
    const children = [world.freshName(), world.freshName(), world.freshName()];
    for (const child of children) await limiter.entities.create(child, { parent, cascade: true });
    for (const child of children) await limiter.available(child, 'api', options);
    world.proxy.clear();
    world.proxy.spoilEach('UpdateItem', { kind: 'hold-reply' }, 1, `/b/${parent}/`);

    await Promise.all(children.map((child) => limiter.acquire(child, 'api', { rpm: 2 }, options)));

    expect(limiter.stats()).toMatchObject({ hedges: 1, hedgesWon: 1 });
    expect(await world.available(parent)).toBe(CAPACITY - 6);
    world.proxy.letGo();
    await world.proxy.idle();
    expect(await world.available(parent)).toBe(CAPACITY - 6);
  });

  it('a slow release is sent once', async () => {
    const name = world.freshName();
    const lease = await limiter.acquire(name, 'api', { rpm: 3 }, options);
    world.proxy.clear();
    world.proxy.spoilEach('UpdateItem', { kind: 'hold-reply' }, 1);
    const held = world.proxy.nextHeld('UpdateItem');
    const released = lease.release();
    await held;
    // Slower than a debit that would be sent again by now: one that is held, too, has its second copy.
    world.proxy.spoilEach('UpdateItem', { kind: 'hold-reply' }, 1);
    await limiter.acquire(world.freshName(), 'api', { rpm: 1 }, options);
    world.proxy.letGo();
    await released;

    expect(world.proxy.count('UpdateItem', `/b/${name}/`)).toBe(1);
    expect(await world.available(name)).toBe(CAPACITY);
  });

  it.each([{ hedging: { delayMs: 1 } }, { hedging: 1 }, { hedging: { budget: 2 } }])(
    '%j is refused before anything is sent',
    async (wrong) => {
      await expect(world.limiter(wrong as never)).rejects.toThrow(ValidationError);

      expect(world.proxy.count()).toBe(0);
    },
  );
});
