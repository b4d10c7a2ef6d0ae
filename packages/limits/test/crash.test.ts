import { Limit } from '@millrace/core';
import { type ApplyOptions, applyManifest, type LimitSource, type Manifest, ManifestLocked, manifest } from '@millrace/limits';
import { CrashingTable, type CrashPoint } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { copyOf, limitsWorld, listed, liveLevels, marked, planOf, through, told } from './manifest-world.js';

type World = ReturnType<typeof limitsWorld>;

/** So many entities that an apply takes several transactions: those from one number to another. */
function keys(limit: LimitSource, from: number, to: number): Manifest {
  const names = Array.from({ length: to - from }, (_, index) => `key-${index + from}`);
  return manifest({
    name: 'm',
    system: { onUnavailable: from === 0 ? 'allow' : 'block', limits: [limit] },
    entities: Object.fromEntries(names.map((name) => [name, { default: [limit], resources: { api: [limit] } }])),
  });
}

const before = keys('rpm:1/min', 0, 60);
const after = keys('rpm:2/min', 30, 90);
const byHand = [Limit.perMinute('rpm', 9)];

/** A table where one manifest was applied and others have set limits by hand. */
async function start(): Promise<World> {
  const world = limitsWorld();
  await world.limits.setResource('by hand', byHand);
  await world.limits.setEntity('key-by-hand', 'api', byHand);
  await applyManifest(world.parts, before);
  return world;
}

/** Whether the table is as the second manifest says, and as the hands left it. */
async function expectDone(world: World): Promise<void> {
  expect(told(await planOf(world, after))).toEqual([]);
  const levels = liveLevels(world);
  expect(marked(world, 'm')).toHaveLength(after.levels.length);
  expect(levels.size).toBe(after.levels.length + 2);
  expect(await world.limits.getResource('by hand')).toMatchObject({ limits: byHand });
  expect(await world.limits.getEntity('key-by-hand', 'api')).toMatchObject({ limits: byHand });
  expect(await world.limits.getOnUnavailable()).toBe('block');
  expect((await listed(world, 'm')).managed).toEqual([...marked(world, 'm')].sort());
  expect((await listed(world, 'm')).all).toEqual(
    [...levels.keys()].filter((name) => name.split('/').length === 3 || /^resource/.test(name)).sort(),
  );
}

const MINUTE_MS = 60_000;

/** How the next apply may come after one that died. */
const WAYS: readonly [string, (world: World) => ApplyOptions][] = [
  ['at once, by the same owner', () => ({ owner: 'ci' })],
  ['at once, by one who takes over', () => ({ owner: 'other', takeOver: true })],
  [
    'when the lock has expired',
    (world) => {
      world.nowMs += MINUTE_MS;
      return { owner: 'other' };
    },
  ],
];

describe.each(WAYS)('an apply that is killed at any request', (way, next) => {
  it(`is finished by the next: ${way}`, async () => {
    const origin = await start();
    const whole = copyOf(origin);
    const counting = new CrashingTable(whole.parts.items);
    await applyManifest(through(whole, counting), after);
    await expectDone(whole);
    expect(counting.requests).toBeGreaterThan(10);

    for (let at = 1; at <= counting.requests; at += 1) {
      for (const when of ['before', 'after'] as const) await crashAndGoOn(origin, { at, when }, next, whole.events().length);
    }
  });
});

async function crashAndGoOn(origin: World, point: CrashPoint, next: (world: World) => ApplyOptions, events: number): Promise<void> {
  const world = copyOf(origin);
  const crashing = new CrashingTable(world.parts.items, point);
  // The last request gives the lock back; that it failed is no failure of the apply.
  await applyManifest(through(world, crashing), after, { owner: 'ci' }).catch((error: Error) => expect(error.name).toBe('Crash'));
  expect(crashing.crashed).toBe(true);

  await applyManifest(world.parts, after, next(world));

  await expectDone(world);
  // Nothing was done twice: there are as many events as if nobody had died.
  expect(world.events()).toHaveLength(events);
}

describe('the lock of an apply that was killed', () => {
  it('keeps others out until it expires, and says who had it', async () => {
    const world = await start();
    const crashing = new CrashingTable(world.parts.items, { at: 6, when: 'before' });
    await expect(applyManifest(through(world, crashing), after, { owner: 'ci' })).rejects.toThrow('the process dies');

    const refusal = await applyManifest(world.parts, after, { owner: 'other' }).catch((error: unknown) => error);

    expect(refusal).toBeInstanceOf(ManifestLocked);
    expect(refusal).toMatchObject({
      code: 'CONFLICT',
      holder: { owner: 'ci', since: new Date(world.nowMs), until: new Date(world.nowMs + MINUTE_MS) },
      message:
        'manifest "m" is being applied: "ci" has held it since 2027-01-15T08:00:00.000Z, until 2027-01-15T08:01:00.000Z if nothing more is heard of it',
    });
  });

  it('is given back by an apply that fails in any other way', async () => {
    const world = await start();
    const failing = { ...world.parts.items, get: () => Promise.reject(new Error('no answer')) };
    let reads = 0;
    const get: typeof world.parts.items.get = (items) => {
      reads += 1;
      return reads === 2 ? failing.get() : world.parts.items.get(items);
    };

    await expect(applyManifest(through(world, { ...world.parts.items, get }), after)).rejects.toThrow('no answer');

    await applyManifest(world.parts, after, { owner: 'other' });
    await expectDone(world);
  });
});
