import { ATTRIBUTE, type ConfigLevel, Limit } from '@millrace/core';
import type { ItemTable, ItemWrite } from '@millrace/limiter/admin';
import { type ApplyOptions, applyManifest, type Manifest, ManifestLocked, manifest, type Restored } from '@millrace/limits';
import { describe, expect, it } from 'vitest';
import { copyOf, limitsWorld, listed, liveLevels, through } from './manifest-world.js';

type World = ReturnType<typeof limitsWorld>;

const byHand = [Limit.perMinute('rpm', 9)];
const names = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, index) => `key-${index + from}`);

/** One manifest, several transactions long: some of its levels are shared with the next state of it. */
function state(limit: string, from: number, more: Parameters<typeof manifest>[0] = {}): Manifest {
  return manifest({ name: 'm', ...more, entities: Object.fromEntries(names(from, from + 40).map((name) => [name, { default: [limit] }])) });
}

const first = state('rpm:1/min', 0, { system: { onUnavailable: 'allow', limits: ['rpm:1/min'] } });
const second = state('rpm:2/min', 20, {
  system: { onUnavailable: 'block', limits: ['rpm:2/min'] },
  resources: { 'by hand': ['rpm:2/min'], other: ['rpm:3/min'], same: ['rpm:9/min'], new: ['rpm:2/min'] },
});

/** A table in which hands, another manifest and this one have made limits. */
async function start(): Promise<World> {
  const world = limitsWorld();
  await world.limits.setResource('by hand', byHand);
  await applyManifest(world.parts, manifest({ name: 'o', resources: { other: ['rpm:3/min'], same: ['rpm:9/min'] } }));
  await applyManifest(world.parts, first);
  return world;
}

/** All that people can see of the limits: what they are, whose they are, and the lists that lead to them. */
async function seen(world: World): Promise<unknown> {
  const levels = [...liveLevels(world)].map(([name, item]) => [
    name,
    item[ATTRIBUTE.limits],
    item[ATTRIBUTE.managedBy],
    item[ATTRIBUTE.onUnavailable],
    item[ATTRIBUTE.policyManagedBy],
  ]);
  return { levels: levels.sort(), m: await listed(world, 'm'), o: await listed(world, 'o') };
}

/** A table whose transactions fail from one number on, counted from 1, for so many of them. */
function failing(world: World, at: number, times = 1): { readonly items: ItemTable; readonly sent: () => number } {
  let sent = 0;
  const { items } = world.parts;
  const transact = (writes: readonly ItemWrite[]): Promise<'done' | 'conflict'> => {
    sent += 1;
    return sent >= at && sent < at + times ? Promise.reject(new Error(`no answer to ${sent}`)) : items.transact(writes);
  };
  return { items: { ...items, transact }, sent: () => sent };
}

const restoring =
  (seenOutcomes: Restored[]): NonNullable<ApplyOptions['onFailure']> =>
  async (_, restore) => {
    seenOutcomes.push(await restore());
  };

describe('an apply that fails and restores', () => {
  it('leaves everything as it was, whichever transaction fails', async () => {
    const origin = await start();
    const whole = copyOf(origin);
    const counting = failing(whole, 99);
    await applyManifest(through(whole, counting.items), second);
    const writes = counting.sent();
    expect(writes).toBeGreaterThan(4);

    // The first takes the lock, and the last gives it back.
    for (let at = 2; at < writes; at += 1) {
      const world = copyOf(origin);
      const outcomes: Restored[] = [];
      const apply = applyManifest(through(world, failing(world, at).items), second, { onFailure: restoring(outcomes) });

      await expect(apply).rejects.toThrow(`no answer to ${at}`);

      expect(await seen(world)).toEqual(await seen(origin));
      expect(outcomes).toMatchObject([{ left: 0 }]);
      await applyManifest(world.parts, second, { owner: 'next' });
      expect(await seen(world)).toEqual(await seen(whole));
    }
  });

  it('also when the write happened and only its answer was lost', async () => {
    const origin = await start();
    const world = copyOf(origin);
    let sent = 0;
    const transact: ItemTable['transact'] = async (writes) => {
      const outcome = await world.parts.items.transact(writes);
      sent += 1;
      if (sent === 3) throw new Error('no answer');
      return outcome;
    };

    const apply = applyManifest(through(world, { ...world.parts.items, transact }), second, { onFailure: restoring([]) });

    await expect(apply).rejects.toThrow('no answer');
    expect(await seen(world)).toEqual(await seen(origin));
  });

  it('may be asked to restore again when that fails, too', async () => {
    const origin = await start();
    const world = copyOf(origin);
    const failures: unknown[] = [];
    const onFailure: ApplyOptions['onFailure'] = async (_, restore) => {
      for (let restored: Restored | undefined; restored === undefined; ) {
        restored = await restore().catch((error: unknown) => {
          failures.push(error);
          return undefined;
        });
      }
    };

    await expect(applyManifest(through(world, failing(world, 4, 3).items), second, { onFailure })).rejects.toThrow('no answer to 4');

    expect(failures).toHaveLength(2);
    expect(await seen(world)).toEqual(await seen(origin));
  });

  it('leaves what somebody else has changed meanwhile', async () => {
    const origin = await start();
    const world = copyOf(origin);
    const outcomes: Restored[] = [];
    const key: ConfigLevel = { level: 'entity-default', entity: 'key-20' };
    const onFailure: ApplyOptions['onFailure'] = async (_, restore) => {
      await world.limits.set(key, byHand);
      outcomes.push(await restore());
    };

    await expect(applyManifest(through(world, failing(world, 4).items), second, { onFailure })).rejects.toThrow('no answer');

    expect(outcomes).toMatchObject([{ left: 1 }]);
    expect((await world.limits.get(key))?.limits).toEqual(byHand);
  });

  it('restores nothing when another apply has taken over: that one decides', async () => {
    const world = await start();
    let sent = 0;
    const transact: ItemTable['transact'] = async (writes) => {
      sent += 1;
      if (sent === 3) await applyManifest(world.parts, first, { takeOver: true });
      return world.parts.items.transact(writes);
    };
    let asked = false;
    const onFailure: ApplyOptions['onFailure'] = async () => {
      asked = true;
    };

    const apply = applyManifest(through(world, { ...world.parts.items, transact }), second, { onFailure });

    await expect(apply).rejects.toBeInstanceOf(ManifestLocked);
    expect(asked).toBe(false);
  });

  it('stops restoring when another apply takes over then', async () => {
    const world = await start();
    const errors: unknown[] = [];
    const onFailure: ApplyOptions['onFailure'] = async (_, restore) => {
      await applyManifest(world.parts, second, { takeOver: true });
      const before = await seen(world);
      await restore().catch((error: unknown) => errors.push(error));
      expect(await seen(world)).toEqual(before);
    };

    await expect(applyManifest(through(world, failing(world, 4).items), second, { onFailure })).rejects.toThrow('no answer');

    expect(String(errors)).toContain('another apply of manifest "m" has taken over');
  });
});
