import { type ConfigLevel, Limit } from '@millrace/core';
import { type ItemWrite, type LevelChange, managedLevels } from '@millrace/limiter/admin';
import { describe, expect, it } from 'vitest';
import { type LimitsWorld, limitsWorld } from '../../test/limits-world.js';

const rpm = [Limit.perMinute('rpm', 500)];
const tpm = [Limit.perMinute('tpm', 800_000)];
const system = { level: 'system' } as const;
const api = { level: 'resource', resource: 'api' } as const;

const levels = (count: number): readonly ConfigLevel[] =>
  Array.from({ length: count }, (_, index) => ({ level: 'entity', entity: `key-${index}`, resource: 'api' }) as const);
const setting = (level: ConfigLevel, limits: readonly Limit[] | null = rpm): LevelChange => ({ level, limits });

/** A lock, as the item that a guard checks. */
function guarded(world: LimitsWorld, fence = 1): () => readonly ItemWrite[] {
  world.table.put({ PK: 'ns1/m/m', SK: 'lock', fence });
  return () => [{ kind: 'check', key: { partition: 'ns1/m/m', sort: 'lock' }, when: [{ attribute: 'fence', equals: fence }] }];
}

describe('applying changes for a manifest', () => {
  it('marks and lists what it sets, and takes the mark away with it', async () => {
    const world = limitsWorld();

    await world.limits.apply([setting(api), setting(system)], { manifest: 'm' });
    expect(await world.limits.getResource('api')).toMatchObject({ limits: rpm, managedBy: 'm' });
    expect(await world.limits.listResources()).toEqual({ names: ['api'] });
    expect(await managedLevels(world.table, 'ns1', 'm')).toEqual([api, system]);

    await world.limits.apply([setting(api, null)], { manifest: 'm' });
    expect(await world.limits.getResource('api')).toBeUndefined();
    expect(await world.limits.listResources()).toEqual({ names: [] });
    expect(await managedLevels(world.table, 'ns1', 'm')).toEqual([system]);
  });

  it('takes away only what it has made', async () => {
    const world = limitsWorld();
    await world.limits.setSystem(rpm);
    await world.limits.setOnUnavailable('allow');
    await world.limits.apply([setting(api)], { manifest: 'other' });

    const result = await world.limits.apply([{ level: system, limits: null, onUnavailable: null }, setting(api, null)], { manifest: 'm' });

    expect(result).toEqual({ outcome: 'done', done: 2 });
    expect(await world.limits.getSystem()).toMatchObject({ limits: rpm });
    expect(await world.limits.getOnUnavailable()).toBe('allow');
    expect(await world.limits.getResource('api')).toMatchObject({ managedBy: 'other' });
    expect(world.transactions).toHaveLength(3);
  });

  it('takes a level over from another manifest, link and all', async () => {
    const world = limitsWorld();
    await world.limits.apply([setting(api)], { manifest: 'old' });

    await world.limits.apply([setting(api, tpm)], { manifest: 'new' });

    expect(await world.limits.getResource('api')).toMatchObject({ limits: tpm, managedBy: 'new' });
    expect(await managedLevels(world.table, 'ns1', 'old')).toEqual([]);
    expect(await managedLevels(world.table, 'ns1', 'new')).toEqual([api]);
  });

  it('writes limits and policy of the system in one, with an event for each', async () => {
    const world = limitsWorld();

    await world.limits.apply([{ level: system, limits: rpm, onUnavailable: 'allow' }], { manifest: 'm', actor: 'ci' });

    expect(world.transactions).toHaveLength(1);
    expect(world.events().map(({ action, actor }) => [action, actor])).toEqual([
      ['limits.set', 'ci'],
      ['policy.set', 'ci'],
    ]);
  });

  it('keeps the mark when limits are set by hand, and loses it when they are deleted by hand', async () => {
    const world = limitsWorld();
    await world.limits.apply([setting(api)], { manifest: 'm' });

    await world.limits.setResource('api', tpm);
    expect(await world.limits.getResource('api')).toMatchObject({ limits: tpm, managedBy: 'm' });

    await world.limits.deleteResource('api');
    await world.limits.setResource('api', rpm);
    expect(await world.limits.getResource('api')).not.toHaveProperty('managedBy');
    expect(await managedLevels(world.table, 'ns1', 'm')).toEqual([]);
  });

  it('reads a hundred levels at once, and fills transactions up to a hundred writes, each with the guard', async () => {
    const world = limitsWorld();
    const progress: number[] = [];

    await world.limits.apply(
      levels(250).map((level) => setting(level)),
      {
        manifest: 'm',
        guard: guarded(world),
        onProgress: (done) => progress.push(done),
      },
    );

    expect(world.reads()).toBe(3);
    expect(world.transactions).toHaveLength(6 + 6 + 3);
    for (const writes of world.transactions) {
      expect(writes.length).toBeLessThanOrEqual(100);
      expect(writes[0]).toMatchObject({ kind: 'check' });
    }
    expect(progress.at(-1)).toBe(250);
    expect(progress).toHaveLength(15);
    expect(await managedLevels(world.table, 'ns1', 'm')).toHaveLength(250);
  });

  it('stops at once when the guard no longer holds, and says how far it came', async () => {
    const world = limitsWorld();
    const guard = guarded(world, 1);

    const result = await world.limits.apply(
      levels(40).map((level) => setting(level)),
      {
        manifest: 'm',
        guard,
        onProgress: () => guarded(world, 2),
      },
    );

    expect(result).toEqual({ outcome: 'guard-lost', done: 19 });
    expect((await world.limits.listEntities('api')).names).toHaveLength(19);
  });

  it('goes on, with what is there now, when a level was changed by hand in between', async () => {
    const world = limitsWorld();
    world.before = () => limitsWorld(world.table).limits.setEntity('key-3', 'api', tpm);

    const result = await world.limits.apply(
      levels(5).map((level) => setting(level)),
      { manifest: 'm', guard: guarded(world) },
    );

    expect(result).toEqual({ outcome: 'done', done: 5 });
    expect(await world.limits.getEntity('key-3', 'api')).toMatchObject({ limits: rpm, managedBy: 'm' });
  });

  it('leaves alone what lost its mark in between', async () => {
    const world = limitsWorld();
    await world.limits.apply([setting(api)], { manifest: 'm' });
    const byHand = limitsWorld(world.table);
    world.before = async () => {
      await byHand.limits.deleteResource('api');
      await byHand.limits.setResource('api', tpm);
    };

    await world.limits.apply([setting(api, null)], { manifest: 'm', guard: guarded(world) });

    expect(await world.limits.getResource('api')).toMatchObject({ limits: tpm });
  });

  it('does not come back to what it has done already: the same changes again send no transaction', async () => {
    const world = limitsWorld();
    const changes = levels(20).map((level) => setting(level));
    await world.limits.apply(changes, { manifest: 'm' });
    const sent = world.transactions.length;

    await world.limits.apply(changes, { manifest: 'm' });

    expect(world.transactions).toHaveLength(sent);
  });
});
