import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CAPACITY, FaultyWorld, LIMITS, MAX_SENT, patienceFor } from './faulty-world.js';

const LONG_MS = 60_000;
const options = { limits: LIMITS };

let world: FaultyWorld;
beforeAll(async () => {
  world = await FaultyWorld.launch();
});
afterAll(() => world.close());

/** A limiter that would wait for a minute for a reply, so that what ends a call is the signal. */
const patient = () => world.limiter({ requestTimeoutMs: LONG_MS, deadlineMs: LONG_MS });

describe('an acquire whose signal is aborted', () => {
  it('while its debit is on the way rejects before the reply comes, and gives back what was taken', async () => {
    const limiter = await patient();
    const name = world.freshName();
    await limiter.acquire(name, 'api', { rpm: 1 }, options);
    world.proxy.clear();
    world.proxy.spoilEach('UpdateItem', { kind: 'hold-reply' }, 1);
    const controller = new AbortController();
    const held = world.proxy.nextHeld('UpdateItem');
    const acquire = limiter.acquire(name, 'api', { rpm: 3 }, { ...options, signal: controller.signal });
    await held;
    const reason = new Error('the caller went away');

    controller.abort(reason);

    await expect(acquire).rejects.toMatchObject({ code: 'ABORTED', name: 'AbortError', cause: reason });
    expect(world.proxy.count('UpdateItem')).toBe(1);
    world.proxy.letGo();
    await limiter.close();
    expect(world.proxy.count('UpdateItem')).toBe(2);
    expect(await world.available(name)).toBe(CAPACITY - 1);
  });

  it('while its configuration is being read rejects before the reply comes, and keeps nothing', async () => {
    const limiter = await patient();
    const name = world.freshName();
    world.proxy.spoilEach('BatchGetItem', { kind: 'hold-reply' }, 1);
    const controller = new AbortController();
    const held = world.proxy.nextHeld('BatchGetItem');
    const acquire = limiter.acquire(name, 'api', { rpm: 3 }, { ...options, signal: controller.signal });
    await held;

    controller.abort();

    await expect(acquire).rejects.toMatchObject({ code: 'ABORTED' });
    expect(world.proxy.count('UpdateItem')).toBe(0);
    world.proxy.letGo();
    await limiter.close();
    expect(await world.available(name)).toBe(CAPACITY);
  });

  it('gives back at every level of a cascade', async () => {
    const limiter = await patient();
    const [org, key] = [world.freshName(), world.freshName()];
    await limiter.entities.create(org);
    await limiter.entities.create(key, { parent: org, cascade: true });
    await limiter.acquire(key, 'api', { rpm: 1 }, options);
    world.proxy.clear();
    world.proxy.spoilEach('UpdateItem', { kind: 'hold-reply' }, 1);
    const controller = new AbortController();
    const held = world.proxy.nextHeld('UpdateItem');
    const acquire = limiter.acquire(key, 'api', { rpm: 3 }, { ...options, signal: controller.signal });
    await held;

    controller.abort();

    await expect(acquire).rejects.toMatchObject({ code: 'ABORTED' });
    world.proxy.letGo();
    await limiter.close();
    expect(world.proxy.count('UpdateItem')).toBe(4);
    expect([await world.available(key), await world.available(org)]).toEqual([CAPACITY - 1, CAPACITY - 1]);
  });

  it.each([
    { title: 'gives back once what was taken, when the reply is lost as well and the retry is answered', lost: 1, leaked: 0, sent: 3 },
    { title: 'leaks its tokens once, and mints none, when every reply is lost as well', lost: MAX_SENT, leaked: 3, sent: MAX_SENT },
  ])('$title', async ({ lost, leaked, sent }) => {
    const limiter = await world.limiter(patienceFor({ kind: 'hold-reply' }));
    const name = world.freshName();
    await limiter.acquire(name, 'api', { rpm: 4 }, options);
    world.proxy.clear();
    world.proxy.spoilEach('UpdateItem', { kind: 'hold-reply' }, lost);
    const controller = new AbortController();
    const held = world.proxy.nextHeld('UpdateItem');
    const acquire = limiter.acquire(name, 'api', { rpm: 3 }, { ...options, signal: controller.signal });
    await held;

    controller.abort();

    await expect(acquire).rejects.toMatchObject({ code: 'ABORTED' });
    await limiter.close();
    expect(world.proxy.count('UpdateItem')).toBe(sent);
    expect(await world.available(name)).toBe(CAPACITY - 4 - leaked);
  });

  it('between a lost reply and the retry gives back once what was taken', async () => {
    const limiter = await patient();
    const name = world.freshName();
    await limiter.acquire(name, 'api', { rpm: 4 }, options);
    world.proxy.clear();
    // The first reply is lost; that of the retry is held until the caller has left.
    let writes = 0;
    world.proxy.spoil(({ operation }) => {
      if (operation !== 'UpdateItem') return undefined;
      writes += 1;
      return [undefined, { kind: 'lose-reply' } as const, { kind: 'hold-reply' } as const][writes];
    });
    const controller = new AbortController();
    const held = world.proxy.nextHeld('UpdateItem');
    const acquire = limiter.acquire(name, 'api', { rpm: 3 }, { ...options, signal: controller.signal });
    await held;

    controller.abort();

    await expect(acquire).rejects.toMatchObject({ code: 'ABORTED' });
    world.proxy.letGo();
    await limiter.close();
    expect(world.proxy.count('UpdateItem')).toBe(3);
    expect(await world.available(name)).toBe(CAPACITY - 4);
  });

  it('keeps nothing when the store refuses', async () => {
    const limiter = await patient();
    const name = world.freshName();
    await world.takeBeside(name, CAPACITY);
    world.proxy.spoilEach('UpdateItem', { kind: 'hold-reply' }, 1);
    const controller = new AbortController();
    const held = world.proxy.nextHeld('UpdateItem');
    const acquire = limiter.acquire(name, 'api', { rpm: 3 }, { ...options, signal: controller.signal });
    await held;

    controller.abort();

    await expect(acquire).rejects.toMatchObject({ code: 'ABORTED' });
    world.proxy.letGo();
    await limiter.close();
    expect(world.proxy.count('UpdateItem')).toBe(1);
    expect(await world.available(name)).toBe(0);
  });

  it('beforehand rejects without sending anything', async () => {
    const limiter = await world.limiter();

    const acquire = limiter.acquire(world.freshName(), 'api', { rpm: 1 }, { ...options, signal: AbortSignal.abort('early') });

    await expect(acquire).rejects.toMatchObject({ code: 'ABORTED', cause: 'early' });
    expect(world.proxy.count()).toBe(0);
  });

  it('afterwards keeps its lease', async () => {
    const limiter = await world.limiter();
    const name = world.freshName();
    const controller = new AbortController();
    const lease = await limiter.acquire(name, 'api', { rpm: 3 }, { ...options, signal: controller.signal });

    controller.abort();

    await limiter.close();
    expect(lease.settled).toBe(false);
    expect(await world.available(name)).toBe(CAPACITY - 3);
  });

  it('does not reach the calls of others', async () => {
    const limiter = await patient();
    const name = world.freshName();
    world.proxy.spoilEach('UpdateItem', { kind: 'hold-reply' }, 2);
    const controller = new AbortController();
    const held = world.proxy.nextHeld('UpdateItem', 2);
    const aborted = limiter.acquire(name, 'api', { rpm: 1 }, { ...options, signal: controller.signal });
    const other = limiter.acquire(name, 'web', { rpm: 1 }, { ...options, signal: new AbortController().signal });
    await held;

    controller.abort();

    await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' });
    world.proxy.letGo();
    expect((await other).consumed).toEqual({ rpm: 1 });
    await limiter.close();
    expect([await world.available(name, 'api'), await world.available(name, 'web')]).toEqual([CAPACITY, CAPACITY - 1]);
  });
});
