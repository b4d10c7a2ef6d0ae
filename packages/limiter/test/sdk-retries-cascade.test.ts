import type { RateLimiter } from '@millrace/limiter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fault } from './faulty-proxy.js';
import { CAPACITY, FaultyWorld, LIMITS, LOSSES, MAX_SENT, patienceFor } from './faulty-world.js';

const options = { limits: LIMITS };

let world: FaultyWorld;
beforeAll(async () => {
  world = await FaultyWorld.launch();
});
afterAll(() => world.close());

/** An entity below two others, all of which an acquire on it takes from, and has taken one token from. */
async function family(
  fault: Fault = { kind: 'lose-reply' },
): Promise<{ readonly limiter: RateLimiter; readonly names: readonly [string, string, string] }> {
  const limiter = await world.limiter(patienceFor(fault));
  const [org, project, key] = [`org-${world.freshName()}`, `project-${world.freshName()}`, `key-${world.freshName()}`];
  await limiter.entities.create(org);
  await limiter.entities.create(project, { parent: org, cascade: true });
  await limiter.entities.create(key, { parent: project, cascade: true });
  await limiter.acquire(key, 'api', { rpm: 1 }, options);
  world.proxy.clear();
  return { limiter, names: [key, project, org] };
}

function spoilDebitsOf(name: string, fault: Fault, times = Number.POSITIVE_INFINITY): void {
  world.proxy.spoilEach('UpdateItem', fault, times, `/b/${name}/`);
}

const writesOf = (names: readonly string[]) => names.map((name) => world.proxy.count('UpdateItem', `/b/${name}/`));

const left = (names: readonly string[]) => Promise.all(names.map((name) => world.available(name)));

describe.each(LOSSES)('a cascade of which one level answer $title', ({ fault, carriedOut }) => {
  const leaked = carriedOut ? 3 : 0;

  // Waiting for a reply that does not come takes time.
  const levels = fault.kind === 'hold-reply' ? [1] : [0, 1, 2];

  it.each(levels)('once, takes once at each level, and gives nothing back (level %i)', async (level) => {
    const { limiter, names } = await family(fault);
    spoilDebitsOf(names[level] ?? '', fault, 1);

    const lease = await limiter.acquire(names[0], 'api', { rpm: 3 }, options);

    expect(world.proxy.count('UpdateItem')).toBe(3 + 1);
    expect(limiter.stats()).toMatchObject({ lostReplies: 0, recoveredReplies: carriedOut ? 1 : 0, degraded: 0 });
    expect(await left(names)).toEqual(names.map(() => CAPACITY - 4));
    await lease.release();
    expect(await left(names)).toEqual(names.map(() => CAPACITY - 1));
  });

  it.each(levels)("gives back once, under 'block', what the other levels took (level %i)", async (level) => {
    const { limiter, names } = await family(fault);
    spoilDebitsOf(names[level] ?? '', fault);

    await expect(limiter.acquire(names[0], 'api', { rpm: 3 }, options)).rejects.toMatchObject({ code: 'UNAVAILABLE' });

    expect(writesOf(names)).toEqual(names.map((_, index) => (index === level ? MAX_SENT : 2)));
    expect(await left(names)).toEqual(names.map((_, index) => CAPACITY - 1 - (index === level ? leaked : 0)));
  });

  it("keeps, under 'allow', what the other levels took, and releases only that", async () => {
    const { limiter, names } = await family(fault);
    spoilDebitsOf(names[1], fault);

    const lease = await limiter.acquire(names[0], 'api', { rpm: 3 }, { ...options, onUnavailable: 'allow' });
    expect(lease.degraded).toBe(true);
    expect(await left(names)).toEqual([CAPACITY - 4, CAPACITY - 1 - leaked, CAPACITY - 4]);
    world.proxy.clear();
    await lease.release();

    expect(world.proxy.count('UpdateItem')).toBe(2);
    expect(await left(names)).toEqual([CAPACITY - 1, CAPACITY - 1 - leaked, CAPACITY - 1]);
  });

  it('is a refusal when another level refuses, and gives back what the third took', async () => {
    const { limiter, names } = await family(fault);
    await world.takeBeside(names[2], CAPACITY - 2);
    spoilDebitsOf(names[1], fault);

    const verdict = await limiter.tryAcquire(names[0], 'api', { rpm: 3 }, options);

    expect(verdict.allowed).toBe(false);
    expect(await left(names)).toEqual([CAPACITY - 1, CAPACITY - 1 - leaked, 1]);
  });

  it('releases each level once, whichever answers', async () => {
    const { limiter, names } = await family(fault);
    const lease = await limiter.acquire(names[0], 'api', { rpm: 3 }, options);
    world.proxy.clear();
    spoilDebitsOf(names[1], fault);

    await expect(lease.release()).rejects.toMatchObject({ code: 'UNAVAILABLE' });

    expect(world.proxy.count('UpdateItem')).toBe(3);
    expect(await left(names)).toEqual([CAPACITY - 1, CAPACITY - 4 + leaked, CAPACITY - 1]);
  });
});

describe('a cascade whose giving back is lost', () => {
  it('throws what the acquire met, sends no credit twice and mints nothing', async () => {
    const { limiter, names } = await family();
    await world.takeBeside(names[2], CAPACITY - 2);
    world.proxy.clear();
    // The organisation refuses; of the credits that follow, none is answered.
    let debits = 0;
    world.proxy.spoil(({ operation }) => {
      if (operation !== 'UpdateItem') return undefined;
      debits += 1;
      return debits > 3 ? { kind: 'lose-reply' } : undefined;
    });

    await expect(limiter.acquire(names[0], 'api', { rpm: 3 }, options)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });

    expect(world.proxy.count('UpdateItem')).toBe(3 + 2);
    expect(await left(names)).toEqual([CAPACITY - 1, CAPACITY - 1, 1]);
    expect(limiter.stats().lostReplies).toBe(2);
  });
});
