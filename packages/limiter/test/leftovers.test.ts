import { Limit, StoreFailure } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { REF, type ScaleProcess, ScaleWorld } from './scale-world.js';

let world: ScaleWorld;
let engine: ScaleProcess;

beforeEach(() => {
  world = new ScaleWorld();
  engine = world.open();
});

const VERSION = 3;
const KEPT = Limit.perMinute('kept', 1_000);
const minute = (name: string) => Limit.perMinute(name, 100);
const namesLeft = () => [...(world.store.bucket(REF)?.limits.keys() ?? [])];

/** Takes a token of each of so many limits; no later configuration has them. */
async function leaveBehind(count: number, limitOf: (name: string) => Limit = minute): Promise<void> {
  for (let index = 0; index < count; index += 1) await world.open().take(limitOf(`old-${index}`), 1);
}

/** Takes one token, and says how many writes that was and how many limits they dropped. */
async function takeAndCount(limit: Limit = KEPT) {
  const before = world.store.writes.length;
  const result = await engine.take(limit, 1, VERSION);
  const writes = world.store.writes.slice(before);
  return {
    kind: result.kind,
    writes: writes.length,
    drops: writes.flatMap(({ moves }) => moves).filter(({ form }) => form === 'drop').length,
  };
}

describe('limits that the configuration no longer has', () => {
  it('are left alone as long as they are ten', async () => {
    await leaveBehind(10);
    world.runtime.advance(3_600_000);

    expect(await takeAndCount()).toEqual({ kind: 'taken', writes: 1, drops: 0 });
    expect(namesLeft()).toHaveLength(11);
  });

  it('are dropped once they are more and full, by one write after a take', async () => {
    await leaveBehind(11);
    world.runtime.advance(3_600_000);

    expect(await takeAndCount()).toEqual({ kind: 'taken', writes: 2, drops: 11 });
    expect(namesLeft()).toEqual(['kept']);
    expect(await takeAndCount()).toEqual({ kind: 'taken', writes: 1, drops: 0 });
  });

  it('keep what is missing of them: one that is not full is not dropped', async () => {
    await leaveBehind(20, (name) => (name < 'old-15' ? minute(name) : Limit.perDay(name, 10)));
    world.runtime.advance(60_000);

    const { drops } = await takeAndCount();

    expect(drops).toBeGreaterThan(0);
    expect(namesLeft()).toHaveLength(21 - drops);
    expect(world.available(Limit.perDay('old-9', 10))).toBe(9);
  });

  it('are dropped a part at a time where they are very many, so that no write is too large', async () => {
    await leaveBehind(60);
    world.runtime.advance(3_600_000);

    expect([(await takeAndCount()).drops, (await takeAndCount()).drops, (await takeAndCount()).drops]).toEqual([25, 25, 0]);
    expect(namesLeft()).toHaveLength(11);
  });

  it('are dropped by nobody whose configuration is out of date', async () => {
    await leaveBehind(11);
    world.runtime.advance(3_600_000);
    world.store.onWrite = ({ moves }) => {
      if (moves[0]?.form === 'drop') world.store.apply({ ref: REF, nowUs: world.nowUs, ttlSec: 9 ** 9, configVersion: 7, moves: [] });
    };

    expect(await takeAndCount()).toMatchObject({ kind: 'taken', drops: 11 });
    expect(namesLeft()).toHaveLength(12);
  });

  it('do not fail a take whose drop fails', async () => {
    await leaveBehind(11);
    world.runtime.advance(3_600_000);
    const failure = new StoreFailure('timeout', 'unknown', 'no reply');
    world.store.mishapOf = ({ moves }) => (moves[0]?.form === 'drop' ? { when: 'before', failure } : undefined);

    expect(await takeAndCount()).toEqual({ kind: 'taken', writes: 2, drops: 11 });
    expect(namesLeft()).toHaveLength(12);
  });

  it('begin with larger counters when they come back', async () => {
    await leaveBehind(11);
    const before = world.store.bucket(REF)?.limits.get('old-3');
    world.runtime.advance(3_600_000);
    await takeAndCount();

    await engine.take(minute('old-3'), 1, VERSION);

    const after = world.store.bucket(REF)?.limits.get('old-3');
    expect(after?.used).toBeGreaterThan(before?.used ?? 0n);
    expect(after?.returned).toBeGreaterThan(before?.returned ?? 0n);
  });

  it('are kept where they have counted more than their new counters would begin with', async () => {
    await leaveBehind(11);
    await world.store.write({
      ref: REF,
      nowUs: world.nowUs,
      ttlSec: 9 ** 9,
      moves: [{ form: 'idle', limit: 'flood', tokens: Number.MAX_SAFE_INTEGER, chargeUs: 0, toUs: world.nowUs }],
    });
    world.runtime.advance(3_600_000);

    expect((await takeAndCount()).drops).toBe(11);
    expect(namesLeft()).toEqual(['flood', 'kept']);
  });
});
