import type { RateLimiter } from '@millrace/limiter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CAPACITY, FaultyWorld, LIMITS } from './faulty-world.js';

const options = { limits: LIMITS };

let world: FaultyWorld;
beforeAll(async () => {
  world = await FaultyWorld.launch();
});
afterAll(() => world.close());

describe('an entity that is created while an acquire on it is reading', () => {
  it('is known to the next acquire of the limiter that created it', async () => {
    const limiter = await world.limiter();
    const [org, key] = [world.freshName(), world.freshName()];
    await limiter.entities.create(org);
    // What was read is from before the creation, and arrives after it.
    world.proxy.spoil(({ operation, body }) =>
      operation === 'BatchGetItem' && body.includes(`/e/${key}"`) ? { kind: 'hold-reply' } : undefined,
    );
    const held = world.proxy.nextHeld('BatchGetItem');
    const reading = limiter.acquire(key, 'api', { rpm: 1 }, options);
    await held;
    world.proxy.clear();
    await limiter.entities.create(key, { parent: org, cascade: true });
    world.proxy.letGo();
    await reading;

    await limiter.acquire(key, 'api', { rpm: 3 }, options);

    expect(await world.available(org)).toBeLessThanOrEqual(CAPACITY - 3);
  });

  it('is known to an acquire that begins after the creation, also if the older one has not ended', async () => {
    const limiter = await world.limiter();
    const [org, key] = [world.freshName(), world.freshName()];
    await limiter.entities.create(org);
    world.proxy.spoil(({ operation, body }) =>
      operation === 'BatchGetItem' && body.includes(`/e/${key}"`) ? { kind: 'hold-reply' } : undefined,
    );
    const held = world.proxy.nextHeld('BatchGetItem');
    const reading = limiter.acquire(key, 'api', { rpm: 1 }, options);
    await held;
    world.proxy.clear();
    await limiter.entities.create(key, { parent: org, cascade: true });

    const acquire = limiter.acquire(key, 'api', { rpm: 3 }, options);
    world.proxy.letGo();
    await Promise.all([reading, acquire]);

    expect(await world.available(org)).toBeLessThanOrEqual(CAPACITY - 3);
  });
});

describe('a parent that moves while a child is being created', () => {
  const WAYS = [
    {
      title: 'by a move',
      change: ({ entities }: RateLimiter, project: string, young: string) => entities.move(project, { parent: young }),
    },
    {
      title: 'by deletion and creation',
      change: async ({ entities }: RateLimiter, project: string, young: string) => {
        await entities.delete(project);
        await entities.create(project, { parent: young, cascade: true });
      },
    },
  ];

  it.each(WAYS)('$title gives the child the ancestors that the parent has when the child is stored', async ({ change }) => {
    const [slow, limiter] = [await world.limiter(), await world.limiter()];
    const [old, young, project, key] = [world.freshName(), world.freshName(), world.freshName(), world.freshName()];
    await limiter.entities.create(old);
    await limiter.entities.create(young);
    await limiter.entities.create(project, { parent: old, cascade: true });
    // The one who creates the child has read the parent; its answer comes after the parent has moved.
    world.proxy.spoilEach('BatchGetItem', { kind: 'hold-reply' }, 1);
    const held = world.proxy.nextHeld('BatchGetItem');
    const creating = slow.entities.create(key, { parent: project, cascade: true });
    await held;
    await change(limiter, project, young);
    world.proxy.letGo();

    expect((await creating).ancestors).toEqual([project, young]);
    expect((await limiter.entities.get(key))?.ancestors).toEqual([project, young]);
  });
});
