import { StoreFailure } from '@millrace/core';
import { TECHNIQUES, type Techniques } from '@millrace/limiter/engine';
import { beforeEach, describe, expect, it } from 'vitest';
import { ConfigWorld, RESOURCE, rpm } from './config-world.js';

let world: ConfigWorld;
const ALL_ON = Object.fromEntries(TECHNIQUES.map((technique) => [technique, true]));

beforeEach(() => {
  world = new ConfigWorld();
  world.set({ level: 'system' }, { limits: [rpm(10)] });
});

/** What happens to five callers of one bucket at once, and to one more that is refused, and then asks again. */
async function writesOf(techniques: Partial<Techniques>): Promise<number[]> {
  const engine = world.open({ techniques });
  await engine.explain('key', RESOURCE);
  const sent: number[] = [];
  for (const amounts of [[2, 2, 2, 2, 2], [1], [1]]) {
    const before = world.store.writes.length;
    await Promise.all(amounts.map((tokens) => engine.tryAcquire('key', RESOURCE, { rpm: tokens })));
    sent.push(world.store.writes.length - before);
  }
  return sent;
}

describe('an engine', () => {
  it('uses all techniques unless it is told otherwise', async () => {
    expect(await writesOf({})).toEqual(await writesOf(ALL_ON));
  });

  it('takes for each caller alone without group commit', async () => {
    expect((await writesOf({}))[0]).toBe(1);

    expect((await writesOf({ groupCommit: false }))[0]).toBeGreaterThanOrEqual(5);
  });

  it('asks each time without local rejections', async () => {
    expect((await writesOf({})).slice(1)).toEqual([0, 0]);

    expect((await writesOf({ localRejections: false })).slice(1)).toEqual([1, 1]);
  });

  it('sends a debit once, and without a name, without request ids', async () => {
    const engine = world.open({ techniques: { requestIds: false } });
    world.store.mishapOf = () => ({ when: 'after', failure: new StoreFailure('timeout', 'unknown', 'lost') });

    await expect(engine.tryAcquire('key', RESOURCE, { rpm: 1 })).rejects.toMatchObject({ code: 'UNAVAILABLE' });

    expect(world.store.writes).toHaveLength(1);
    expect(world.store.writes[0]?.request).toBeUndefined();
  });

  it('knows no other technique, and switches only on or off', () => {
    expect(() => world.open({ techniques: { magic: true } as Partial<Techniques> })).toThrow(/techniques.*magic/s);
    expect(() => world.open({ techniques: { groupCommit: 1 } as unknown as Partial<Techniques> })).toThrow(/groupCommit/);
  });
});
