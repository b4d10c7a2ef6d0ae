import { RateLimiterUnavailable } from '@millrace/limiter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fault } from './faulty-proxy.js';
import { answer, CAPACITY, FaultyWorld, FROZEN, LIMITS, LOSSES, MAX_SENT, patienceFor, SENDERS, THROTTLES } from './faulty-world.js';

const options = { limits: LIMITS };
const READ_FAULTS = [...LOSSES, ...THROTTLES.map(({ type, fault }) => ({ title: type, fault }))];

let world: FaultyWorld;
beforeAll(async () => {
  world = await FaultyWorld.launch();
});
afterAll(() => world.close());

describe.each(SENDERS)('reads with %s', (sender) => {
  it.each(READ_FAULTS)('are sent again when the answer $title', async ({ fault }: { readonly fault: Fault }) => {
    const limiter = await world.limiter(patienceFor(fault), sender);
    const name = world.freshName();
    await limiter.acquire(name, 'api', { rpm: 3 }, options);
    world.proxy.clear();
    world.proxy.spoilEach('GetItem', fault, 1);

    expect(await limiter.available(name, 'api', options)).toEqual({ rpm: CAPACITY - 3 });

    expect(world.proxy.count('GetItem')).toBe(2);
    expect(limiter.stats()).toMatchObject({ retries: 1, lostReplies: 0 });
  });

  it('are sent a bounded number of times when nothing but errors comes', async () => {
    const limiter = await world.limiter({}, sender);
    world.proxy.spoilEach('GetItem', answer(500, 'InternalServerError', true));

    await expect(limiter.available(world.freshName(), 'api', options)).rejects.toThrow(RateLimiterUnavailable);

    expect(world.proxy.count('GetItem')).toBeGreaterThan(1);
    expect(world.proxy.count('GetItem')).toBeLessThanOrEqual(MAX_SENT);
  });
});

describe('an entity', () => {
  it('is created and deleted once, also when the reply is lost: the transaction is sent again under its token', async () => {
    const limiter = await world.limiter();
    const name = world.freshName();

    world.proxy.spoilEach('TransactWriteItems', { kind: 'lose-reply' }, 1);
    expect(await limiter.entities.create(name)).toMatchObject({ id: name });
    expect(await limiter.entities.get(name)).toMatchObject({ id: name });
    world.proxy.spoilEach('TransactWriteItems', { kind: 'lose-reply' }, 1);
    await limiter.entities.delete(name);

    expect(await limiter.entities.get(name)).toBeUndefined();
    expect(world.proxy.count('TransactWriteItems')).toBe(4);
    const { events } = await limiter.audit.list({ subject: `entity/${name}` });
    expect(events.map(({ action }) => action)).toEqual(['entity.delete', 'entity.create']);
  });

  it('is created after throttles', async () => {
    const limiter = await world.limiter();
    const name = world.freshName();
    world.proxy.spoilEach('TransactWriteItems', answer(400, 'ThrottlingException', false), 2);

    expect(await limiter.entities.create(name)).toMatchObject({ id: name });

    expect(world.proxy.count('TransactWriteItems')).toBe(3);
  });
});

/** Our own two ways to send. */
const OURS = SENDERS.slice(0, 2);

describe.each(OURS)('a deadline with %s', (sender) => {
  /** A clock that stands while the limiter is opened, as opening has a deadline too. */
  function clockToStart() {
    let startedMs: number | undefined;
    return {
      start: () => {
        startedMs = performance.now();
      },
      nowMs: () => FROZEN.nowMs() + (startedMs === undefined ? 0 : performance.now() - startedMs),
    };
  }

  it.each([
    { title: 'throttles', fault: answer(400, 'ThrottlingException', false) },
    { title: 'errors of the server', fault: answer(500, 'InternalServerError', false) },
    { title: 'replies that do not come', fault: { kind: 'hold-reply' } as Fault },
    { title: 'lost replies', fault: { kind: 'lose-reply' } as Fault },
  ])('ends a call that meets nothing but $title', { timeout: 20_000 }, async ({ fault }) => {
    const clock = clockToStart();
    const limiter = await world.limiter({ ...patienceFor(fault), clock, deadlineMs: 300 }, sender);
    clock.start();
    world.proxy.spoil(() => fault);

    await expect(limiter.acquire(world.freshName(), 'api', { rpm: 1 }, options)).rejects.toMatchObject({ code: 'UNAVAILABLE' });

    expect(world.proxy.count()).toBeLessThanOrEqual(MAX_SENT);
    world.proxy.letGo();
  });

  it('that is over leaves no time to send anything again', async () => {
    const name = world.freshName();
    let nowMs = FROZEN.nowMs();
    // Every look at the clock is twenty seconds later than the one before.
    const running = {
      nowMs: () => {
        nowMs += 20_000;
        return nowMs;
      },
    };
    const limiter = await world.limiter({ clock: running, deadlineMs: 10_000 }, sender);
    world.proxy.spoilEach('UpdateItem', answer(400, 'ThrottlingException', false));

    await expect(limiter.acquire(name, 'api', { rpm: 1 }, options)).rejects.toMatchObject({ code: 'UNAVAILABLE' });

    expect(world.proxy.count('UpdateItem')).toBeLessThanOrEqual(1);
  });
});

describe.each(OURS)('the message with %s', (sender) => {
  it.each([
    { title: 'a reply that does not come in time', fault: { kind: 'hold-reply' } as Fault, says: /did not answer within 1000 ms/ },
    { title: 'a connection that is reset', fault: { kind: 'reset' } as Fault, says: /ECONNRESET|socket hang up/ },
    { title: 'an error of the server', fault: answer(500, 'InternalServerError', false), says: /injected InternalServerError/ },
    { title: 'a throttle', fault: answer(400, 'ThrottlingException', false), says: /throttled: injected ThrottlingException/ },
  ])('names $title, and the table', async ({ fault, says }) => {
    const limiter = await world.limiter(patienceFor(fault), sender);
    world.proxy.spoilEach('UpdateItem', fault);

    const error = await limiter.acquire(world.freshName(), 'api', { rpm: 1 }, options).catch((reason: unknown) => reason);

    expect((error as Error).message).toContain(world.table.table);
    expect((error as Error).message).toMatch(says);
  });
});

describe.each(OURS)('stats with %s', (sender) => {
  it('count every request by its operation, as the proxy saw them', async () => {
    const limiter = await world.limiter({}, sender);
    const [org, key] = [world.freshName(), world.freshName()];
    const before = limiter.stats().requests['GetItem'] ?? 0;
    await limiter.entities.create(org);
    await limiter.entities.create(key, { parent: org, cascade: true });
    await limiter.entities.children(org);
    world.proxy.spoilEach('UpdateItem', answer(400, 'ThrottlingException', false), 1);
    const lease = await limiter.acquire(key, 'api', { rpm: 3 }, options);
    await lease.release();
    await limiter.available(key, 'api', options);

    const { requests, retries, lostReplies, acquires, admitted, rejected } = limiter.stats();

    for (const operation of ['TransactWriteItems', 'Query', 'UpdateItem']) expect(requests[operation]).toBe(world.proxy.count(operation));
    expect((requests['GetItem'] ?? 0) - before).toBe(world.proxy.count('GetItem'));
    expect({ retries, lostReplies, acquires, admitted, rejected }).toEqual({
      retries: 1,
      lostReplies: 0,
      acquires: 1,
      admitted: 1,
      rejected: 0,
    });
  });

  it('count the capacity that DynamoDB reported, and each refused write, for which it reports none', async () => {
    const limiter = await world.limiter({}, sender);
    const name = world.freshName();
    await limiter.acquire(name, 'api', { rpm: 1 }, options);
    expect(limiter.stats()).toMatchObject({ writeUnits: 1, refusedWrites: 0 });
    await world.takeBeside(name, CAPACITY - 1);

    expect((await limiter.tryAcquire(name, 'api', { rpm: 1 }, options)).allowed).toBe(false);

    expect(limiter.stats()).toMatchObject({ writeUnits: 1, refusedWrites: 1, rejected: 1 });
  });
});
