import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CAPACITY, FaultyWorld, LIMITS, patienceFor } from './faulty-world.js';

const options = { limits: LIMITS };
const PATIENCE = patienceFor({ kind: 'hold-reply' });

let world: FaultyWorld;
beforeAll(async () => {
  world = await FaultyWorld.launch();
});
afterAll(() => world.close());

describe('a debit whose reply is lost', () => {
  it('counts once when it arrives only after its second copy was answered: the bucket refuses it', async () => {
    const limiter = await world.limiter(PATIENCE);
    const name = world.freshName();
    await limiter.acquire(name, 'api', { rpm: 1 }, options);
    world.proxy.clear();
    world.proxy.spoilEach('UpdateItem', { kind: 'hold-request' }, 1);

    await limiter.acquire(name, 'api', { rpm: 3 }, options);
    expect(await world.available(name)).toBe(CAPACITY - 4);
    world.proxy.letGo();
    await world.proxy.idle();

    expect(world.proxy.count('UpdateItem')).toBe(2);
    expect(await world.available(name)).toBe(CAPACITY - 4);
  });

  it('may count twice, and mints nothing, when other writers have used all slots before it is sent again', async () => {
    const limiter = await world.limiter(PATIENCE);
    const name = world.freshName();
    await limiter.acquire(name, 'api', { rpm: 1 }, options);
    world.proxy.clear();
    world.proxy.spoilEach('UpdateItem', { kind: 'hold-reply' }, 1);
    const held = world.proxy.nextHeld('UpdateItem');
    const acquire = limiter.acquire(name, 'api', { rpm: 3 }, options);
    await held;
    await world.forgetRequests(name);

    const lease = await acquire;
    expect(await world.available(name)).toBe(CAPACITY - 1 - 6);
    await lease.release();

    expect(await world.available(name)).toBe(CAPACITY - 1 - 3);
    expect(limiter.stats()).toMatchObject({ lostReplies: 0, recoveredReplies: 0 });
  });

  it('is refused, and leaks its tokens once, when it took the last and the bucket has forgotten it', async () => {
    const limiter = await world.limiter(PATIENCE);
    const name = world.freshName();
    world.proxy.spoilEach('UpdateItem', { kind: 'hold-reply' }, 1);
    const held = world.proxy.nextHeld('UpdateItem');
    const acquire = limiter.tryAcquire(name, 'api', { rpm: CAPACITY }, options);
    await held;
    await world.forgetRequests(name);

    expect((await acquire).allowed).toBe(false);
    expect(await world.available(name)).toBe(0);
  });

  it('is known to be done also when it took the last, and others come after it', async () => {
    const limiter = await world.limiter(PATIENCE);
    const name = world.freshName();
    world.proxy.spoilEach('UpdateItem', { kind: 'hold-reply' }, 1);
    const held = world.proxy.nextHeld('UpdateItem');
    const acquire = limiter.tryAcquire(name, 'api', { rpm: CAPACITY }, options);
    await held;
    const later = limiter.tryAcquire(name, 'api', { rpm: 1 }, options);

    expect((await acquire).allowed).toBe(true);
    expect((await later).allowed).toBe(false);
    expect(await world.available(name)).toBe(0);
  });
});

describe('a write for several callers whose reply is lost', () => {
  it('is resolved for all of them by its name', async () => {
    const limiter = await world.limiter();
    const name = world.freshName();
    await limiter.available(name, 'api', options);
    world.proxy.clear();
    world.proxy.spoilEach('UpdateItem', { kind: 'lose-reply' }, 1);

    const costs = [1, 2, 3];
    const leases = await Promise.all(costs.map((rpm) => limiter.acquire(name, 'api', { rpm }, options)));

    expect(leases.map(({ consumed }) => consumed)).toEqual(costs.map((rpm) => ({ rpm })));
    expect(world.proxy.count('UpdateItem')).toBe(2);
    expect(limiter.stats()).toMatchObject({ admitted: 3, recoveredReplies: 1, lostReplies: 0 });
    expect(await world.available(name)).toBe(CAPACITY - 6);
  });

  it('is resolved for all children of the parent whose bucket it is', async () => {
    const limiter = await world.limiter();
    const parent = world.freshName();
    await limiter.entities.create(parent);
    const children = [world.freshName(), world.freshName(), world.freshName()];
    for (const child of children) await limiter.entities.create(child, { parent, cascade: true });
    for (const child of children) await limiter.available(child, 'api', options);
    world.proxy.clear();
    world.proxy.spoilEach('UpdateItem', { kind: 'lose-reply' }, 1, `/b/${parent}/`);

    const leases = await Promise.all(children.map((child) => limiter.acquire(child, 'api', { rpm: 2 }, options)));

    expect(leases.map(({ degraded }) => degraded)).toEqual([false, false, false]);
    expect(world.proxy.count('UpdateItem', `/b/${parent}/`)).toBe(2);
    expect(await world.available(parent)).toBe(CAPACITY - 6);
    expect(await Promise.all(children.map((child) => world.available(child)))).toEqual(children.map(() => CAPACITY - 2));
  });
});
