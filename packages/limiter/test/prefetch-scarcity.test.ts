import type { Engine } from '@millrace/limiter/engine';
import { beforeEach, describe, expect, it } from 'vitest';
import { RESOURCE, rpm } from './config-world.js';
import { PrefetchWorld } from './prefetch-world.js';

let world: PrefetchWorld;
let engine: Engine;

/** A bucket of 1,000 tokens, one of which comes back each second. */
beforeEach(() => {
  world = new PrefetchWorld();
  world.set({ level: 'system' }, { limits: [rpm(60, { capacity: 1_000, reserve: 0 })] });
  engine = world.openAhead();
});

const ask = (tokens: number, by = engine, entity = 'key') => by.tryAcquire(entity, RESOURCE, { rpm: tokens });
/** What the table has, beside what is held here. */
const leftAtTable = async () => (await world.open().available('key', RESOURCE))['rpm'] ?? 0;
const chunksAsked = () => engine.stats.snapshot().prefetched;

describe('as a bucket empties, taking ahead', () => {
  it('never refuses what would be admitted without it: one process alone gets all there is, to the token', async () => {
    let admitted = 0;
    for (;;) {
      const verdict = await ask(7);
      if (!verdict.allowed) break;
      admitted += 7;
    }
    const { allowed } = await ask(1_000 - admitted);

    expect([admitted, allowed, world.net('key', 'rpm')]).toEqual([994, true, 1_000]);
    expect(world.store.writes.length).toBeLessThan(70);
  });

  it('ends with the first rejection, and begins again only when there is plenty', async () => {
    await world.run(engine, 40, 10);
    await world.open().acquire('key', RESOURCE, { rpm: (await leftAtTable()) - 20 });
    expect(await ask(500)).toMatchObject({ allowed: false });
    await world.sleepers.pass(2_000);
    const before = chunksAsked();

    await world.run(engine, 20, 10);
    expect(chunksAsked()).toBe(before);

    await world.sleepers.pass(600_000);
    await world.run(engine, 40, 10);
    expect(chunksAsked()).toBeGreaterThan(before);
  });

  it('lets a request have what is held here and the rest of the table', async () => {
    await world.warm(engine);
    const atTable = await leftAtTable();
    const all = (await engine.available('key', RESOURCE))['rpm'] ?? 0;
    expect(all).toBeGreaterThan(atTable);

    expect(await ask(all + 1)).toMatchObject({ allowed: false, statuses: [{ available: all }] });
    expect(await ask(all)).toMatchObject({ allowed: true });

    await engine.close();
    expect(world.net('key', 'rpm')).toBe(engine.stats.snapshot().admitted - 1 + all);
  });

  it('and a request is refused that needs both, but another process was faster: what was held is held again', async () => {
    await world.warm(engine);
    const all = (await engine.available('key', RESOURCE))['rpm'] ?? 0;
    const served = engine.stats.snapshot().admitted;
    await world.open().acquire('key', RESOURCE, { rpm: await leftAtTable() });

    expect(await ask(all)).toMatchObject({ allowed: false });
    expect(await ask(1)).toMatchObject({ allowed: true });

    await engine.close();
    const others = world.net('key', 'rpm') - served - 1;
    expect(others).toBeLessThanOrEqual(all);
  });

  it('a rejection that is proven counts what is held here, and needs no request', async () => {
    await world.warm(engine);
    const all = (await engine.available('key', RESOURCE))['rpm'] ?? 0;
    await ask(all + 1);
    const before = world.store.writes.length;

    expect(await ask(all + 1)).toMatchObject({ allowed: false, retryAfterMs: 980, statuses: [{ available: all }] });
    expect(world.store.writes).toHaveLength(before);
  });

  it('who may wait is served from memory, or has a place at the table with nothing taken on top', async () => {
    await world.warm(engine);
    const [before, { prefetched }] = [world.store.writes.length, engine.stats.snapshot()];

    await engine.acquire('key', RESOURCE, { rpm: 1 }, { waitMs: 60_000 });
    expect([world.store.writes.length, engine.stats.snapshot().prefetched]).toEqual([before, prefetched + 1]);

    const net = world.net('key', 'rpm');
    await engine.acquire('key', RESOURCE, { rpm: 300 }, { waitMs: 60_000 });
    expect([world.store.writes.length, world.net('key', 'rpm')]).toEqual([before + 1, net + 300]);
  });
});

describe('what is admitted', () => {
  it('at once is more than the capacity by what flows back in a lifetime, never by more', async () => {
    world.set({ level: 'system' }, { limits: [rpm(6_000, { capacity: 1_000, reserve: 0 })] });
    await world.warm(engine);
    // The table fills again while the chunk is held.
    await world.sleepers.pass(960);
    let atOnce = await leftAtTable();
    await world.open().acquire('key', RESOURCE, { rpm: atOnce });
    for (let verdict = await ask(1); verdict.allowed; verdict = await ask(1)) atOnce += 1;

    expect(atOnce).toBeGreaterThan(1_000);
    expect(atOnce).toBeLessThanOrEqual(1_000 + 100);
    // And after its lifetime nothing of the chunk is left to be admitted.
    await world.sleepers.pass(100);
    expect([(await ask(10)).allowed, (await ask(1)).allowed]).toEqual([true, false]);
  });
});

describe('a cascade', () => {
  beforeEach(() => {
    world.place('parent');
    for (const child of ['a', 'b', 'c']) world.place(child, 'parent');
    world.set({ level: 'entity-default', entity: 'parent' }, { limits: [rpm(6_000)] });
  });

  const writesOf = (entity: string) => world.store.writes.filter(({ ref }) => ref.entity === entity).length;

  it('is served at the parent from one chunk for all its children', async () => {
    for (let round = 0; round < 50; round += 1) for (const child of ['a', 'b', 'c']) await world.run(engine, 1, 5, { rpm: 1 }, child);

    expect(writesOf('parent')).toBeLessThan(20);
    await engine.close();
    expect(['a', 'b', 'c', 'parent'].map((entity) => world.net(entity, 'rpm'))).toEqual([50, 50, 50, 150]);
  });

  /** The parent has a chunk, by another child; what the first child has is taken by another process, which is not known here. */
  async function exhaustChild(): Promise<number> {
    await world.warm(engine, 'b');
    const own = rpm(60, { capacity: 1_000, reserve: 0 });
    await world.open().acquire('a', RESOURCE, { rpm: 1_000 }, { limits: (entity) => (entity === 'a' ? [own] : undefined) });
    return engine.stats.snapshot().admitted;
  }

  it('that is refused at one level leaves the others as they were, without a request', async () => {
    const admitted = await exhaustChild();
    const before = [writesOf('parent'), (await engine.available('parent', RESOURCE))['rpm']];

    expect(await ask(10, engine, 'a')).toMatchObject({ allowed: false });

    expect([writesOf('parent'), (await engine.available('parent', RESOURCE))['rpm']]).toEqual(before);
    await engine.close();
    expect(world.net('parent', 'rpm')).toBe(admitted);
  });

  it('whose chunk has ended meanwhile gives back to the store, each token once', async () => {
    const admitted = await exhaustChild();
    const before = writesOf('parent');
    // The chunk of the parent ends while the child is being asked.
    world.store.onWrite = ({ ref }) => (ref.entity === 'a' ? world.sleepers.pass(1_500) : undefined);

    expect(await ask(10, engine, 'a')).toMatchObject({ allowed: false });

    world.store.onWrite = () => undefined;
    await engine.close();
    expect([writesOf('parent') - before, world.net('parent', 'rpm')]).toEqual([2, admitted]);
  });
});

describe('what is never taken ahead', () => {
  it.each(['shadow', 'bypass'] as const)('is a bucket of an entity in %s mode', async (mode) => {
    world.set({ level: 'entity-default', entity: 'key' }, { limits: [rpm(60, { capacity: 1_000 })], control: { mode } });

    await world.run(engine, 40, 10);

    expect([engine.stats.snapshot().prefetched, world.net('key', 'rpm')]).toEqual([0, mode === 'shadow' ? 40 : 0]);
  });
});
