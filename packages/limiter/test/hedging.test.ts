import { StoreFailure } from '@millrace/core';
import type { Engine } from '@millrace/limiter/engine';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Fate, QUICK, RESOURCE, RPM, SlowWorld } from './slow-world.js';

const SLOW_BACK: Fate = { thereMs: 5, backMs: 500 };
const SLOW_THERE: Fate = { thereMs: 500, backMs: 5 };
const lost = new StoreFailure('timeout', 'unknown', 'no reply');
const throttled = new StoreFailure('throttled', 'no', 'too fast');
/** What a write takes that is not slow; a second copy waits a millisecond longer. */
const USUAL_MS = 10;

let world: SlowWorld;
let engine: Engine;

beforeEach(async () => {
  world = new SlowWorld();
  engine = await world.learned();
});

const acquire = (rpm: number, by = engine, entity = 'key') => by.tryAcquire(entity, RESOURCE, { rpm }, { limits: RPM });
const stats = () => engine.stats.snapshot();

/** The writes fare one after the other as said; all others are quick. */
function fates(...each: readonly Fate[]): void {
  world.writes.length = 0;
  world.fateOf = (index) => each[index] ?? QUICK;
}

describe('a debit that is slow', () => {
  it.each([
    { what: 'its reply', slow: SLOW_BACK, refused: 1 },
    { what: 'the request itself', slow: SLOW_THERE, refused: 1 },
  ])('because of $what is sent once more as it is, and the first answer is the result', async ({ slow, refused }) => {
    fates(slow);

    const { value, tookMs } = await world.during(acquire(3));

    expect(value).toMatchObject({ allowed: true, lease: { consumed: { rpm: 3 }, remaining: { rpm: 7 } } });
    expect(tookMs).toBeLessThanOrEqual(2 * USUAL_MS + 1);
    expect(world.writes).toHaveLength(2);
    expect(world.writes[1]).toEqual(world.writes[0]);
    await world.drain();
    expect(world.net('key')).toBe(3);
    expect(stats()).toMatchObject({ hedges: 1, hedgesWon: 1, refusedWrites: refused, recoveredReplies: 0, retries: 0, lostReplies: 0 });
  });

  it('is answered by its first copy where that comes first after all', async () => {
    fates({ thereMs: 5, backMs: 15 }, SLOW_BACK);

    const { value, tookMs } = await world.during(acquire(3));

    expect([value.allowed, tookMs]).toEqual([true, 20]);
    await world.drain();
    expect(world.net('key')).toBe(3);
    expect(stats()).toMatchObject({ hedges: 1, hedgesWon: 0, refusedWrites: 1 });
  });

  it('is sent no more than twice, however slow both copies are', async () => {
    fates(SLOW_BACK, SLOW_BACK);

    await world.during(acquire(3));

    await world.drain();
    expect(world.writes).toHaveLength(2);
    expect(world.net('key')).toBe(3);
  });

  it('is admitted by the copy that lands when the other one was refused before: both are waited for', async () => {
    fates(QUICK, SLOW_THERE);
    const other = world.open();
    const { value: before } = await world.during(acquire(10, other));
    const work = acquire(3);
    await world.sleepers.pass(100);
    if (before.allowed) await world.during(before.lease.release());

    const { value } = await world.during(work);

    expect(value.allowed).toBe(true);
    await world.drain();
    expect(world.net('key')).toBe(3);
  });

  it('is refused where both copies are, and takes nothing', async () => {
    fates(QUICK, SLOW_BACK);
    await world.during(acquire(10, world.open()));

    const { value } = await world.during(acquire(3));

    expect(value).toMatchObject({ allowed: false, statuses: [{ available: 0 }] });
    expect(stats()).toMatchObject({ hedges: 1, hedgesWon: 0, refusedWrites: 2 });
    expect(world.net('key')).toBe(10);
  });

  it('is answered by the copy that is left where one is lost', async () => {
    fates({ ...QUICK, thereMs: 30, isNeverDone: true, failure: lost }, { thereMs: 5, backMs: 50 });

    const { value } = await world.during(acquire(3));

    expect(value.allowed).toBe(true);
    expect(world.writes).toHaveLength(2);
    expect(stats()).toMatchObject({ hedges: 1, hedgesWon: 1, retries: 0, lostReplies: 0 });
    expect(world.net('key')).toBe(3);
  });

  it('is asked about by its name where both are lost', async () => {
    fates({ thereMs: 5, backMs: 40, failure: lost }, { thereMs: 5, backMs: 50, failure: throttled });

    const { value } = await world.during(acquire(3));

    expect(value.allowed).toBe(true);
    expect(world.writes).toHaveLength(3);
    expect(stats()).toMatchObject({ hedges: 1, hedgesWon: 0, retries: 1, recoveredReplies: 1 });
    expect(world.net('key')).toBe(3);
  });

  it('is asked about by its name where one copy is lost and the other was refused', async () => {
    // The second copy comes too early, when another process has taken all; the first one lands, but nobody hears of it.
    fates(QUICK, { thereMs: 500, backMs: 5, failure: lost });
    const { value: before } = await world.during(acquire(10, world.open()));
    const work = acquire(3);
    await world.sleepers.pass(100);
    if (before.allowed) await world.during(before.lease.release());

    const { value } = await world.during(work);

    expect(value.allowed).toBe(true);
    expect(stats()).toMatchObject({ recoveredReplies: 1 });
    expect(world.net('key')).toBe(3);
  });

  it('counts once also where its first copy comes only after the process has taken again', async () => {
    fates(SLOW_THERE);
    await world.during(acquire(3));
    await world.during(acquire(2));
    await world.during(acquire(1));

    await world.drain();

    expect(world.net('key')).toBe(6);
    expect(new Set(world.writes.map(({ request }) => request?.slot)).size).toBe(2);
  });

  it('counts once also where it is one of a group, and everybody hears of it', async () => {
    fates(SLOW_BACK);

    const { value } = await world.during(Promise.all([1, 2, 3].map((rpm) => acquire(rpm))));

    expect(value.map(({ allowed }) => allowed)).toEqual([true, true, true]);
    await world.drain();
    expect([world.writes.length, world.net('key')]).toEqual([2, 6]);
  });

  it('of an adjustment is hedged like any other', async () => {
    const { value } = await world.during(acquire(3));
    if (!value.allowed) throw new Error('it was the first');
    fates(SLOW_BACK);

    const { tookMs } = await world.during(value.lease.adjust({ rpm: 2 }));

    expect(tookMs).toBeLessThanOrEqual(2 * USUAL_MS + 1);
    await world.drain();
    expect(world.net('key')).toBe(5);
  });
});

describe('what is never sent twice', () => {
  it.each([
    { title: 'a release', deltas: { rpm: -3 } },
    { title: 'an adjustment that gives back', deltas: { rpm: -1 } },
  ])('is $title', async ({ deltas }) => {
    const { value } = await world.during(acquire(3));
    if (!value.allowed) throw new Error('it was the first');
    fates(SLOW_BACK);

    await world.during(value.lease.adjust(deltas));

    await world.drain();
    expect(world.writes).toHaveLength(1);
    expect(stats().hedges).toBe(0);
  });

  it('is a debit that is not slow, and no timer is left of it', async () => {
    await world.during(Promise.all(['a', 'b', 'c'].map((entity) => acquire(1, engine, entity))));

    expect(world.writes).toHaveLength(3);
    expect(world.sleepers.count).toBe(0);
  });

  it.each([
    { title: 'of a process that was not told to', options: { hedging: false } },
    { title: 'that is not slower than the floor', options: { hedging: { floorMs: 600 } } },
    { title: 'whose deadline comes before', options: { deadlineMs: 10 } },
  ])('is a debit $title', async ({ options }) => {
    const other = await world.learned(options);
    fates(SLOW_BACK);

    await world.during(acquire(1, other));

    await world.drain();
    expect(world.writes).toHaveLength(1);
  });

  it('is a debit of a process that knows too little of what is slow', async () => {
    const young = world.open();
    for (let calls = 0; calls < 60; calls += 1) await world.during(acquire(1, young, `early-${calls}`));
    fates(SLOW_BACK);

    await world.during(acquire(1, young));

    expect(world.writes).toHaveLength(1);
  });

  it('is any debit for ten seconds after a throttle', async () => {
    const hedged = async (): Promise<number> => {
      const before = stats().hedges;
      fates(SLOW_BACK);
      await world.during(acquire(1, engine, `key-${world.runtime.random()}`));
      await world.sleepers.pass(500);
      return stats().hedges - before;
    };
    fates({ ...QUICK, isNeverDone: true, failure: throttled });
    await world.during(acquire(1));

    expect(await hedged()).toBe(0);
    await world.sleepers.pass(10_000);
    expect(await hedged()).toBe(1);
  });
});
