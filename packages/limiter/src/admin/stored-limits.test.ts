import { type ConfigLevel, configFromItems, configKey, Limit, type WireItem } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { type LimitsWorld, limitsWorld, START_MS } from '../../test/limits-world.js';
import { levelWrite } from './level-item.js';

const rpm = Limit.perMinute('rpm', 500);
const tpm = Limit.perMinute('tpm', 800_000, { capacity: 900_000, reserve: 0 });

const LEVELS: readonly ConfigLevel[] = [
  { level: 'system' },
  { level: 'resource', resource: 'gpt-4' },
  { level: 'entity-default', entity: 'key-1' },
  { level: 'entity', entity: 'key-1', resource: 'gpt-4' },
];

function itemOf(world: LimitsWorld, level: ConfigLevel): Record<string, unknown> | undefined {
  const { partition, sort } = configKey('ns1', level);
  return world.item(partition, sort);
}

/** Changes other attributes of a level's item, as another part of administration does. */
async function writeBeside(world: LimitsWorld, level: ConfigLevel, changes: Record<string, unknown>): Promise<void> {
  await world.table.transact([levelWrite('ns1', level, itemOf(world, level), changes, world.nowMs)]);
}

describe('stored limits', () => {
  it.each(LEVELS)('are set, read and deleted at level $level, and at no other', async (level) => {
    const { limits } = limitsWorld();

    await limits.set(level, [rpm, tpm]);

    for (const other of LEVELS) {
      const found = await limits.get(other);
      if (other === level) expect(found).toEqual({ limits: [rpm, tpm], version: START_MS, updatedAt: new Date(START_MS) });
      else expect(found).toBeUndefined();
    }
    expect(await limits.delete(level)).toBe(true);
    expect(await limits.get(level)).toBeUndefined();
    expect(await limits.delete(level)).toBe(false);
  });

  it('are set, read and deleted by name of the level', async () => {
    const { limits } = limitsWorld();
    const [a, b, c, d] = [1, 2, 3, 4].map((tokens) => [Limit.perMinute('rpm', tokens)]) as [Limit[], Limit[], Limit[], Limit[]];

    await limits.setSystem(a);
    await limits.setResource('gpt-4', b);
    await limits.setEntityDefault('key-1', c);
    await limits.setEntity('key-1', 'gpt-4', d);

    const gets = [limits.getSystem(), limits.getResource('gpt-4'), limits.getEntityDefault('key-1'), limits.getEntity('key-1', 'gpt-4')];
    expect((await Promise.all(gets)).map((level) => level?.limits)).toEqual([a, b, c, d]);
    await limits.deleteSystem();
    await limits.deleteResource('gpt-4');
    await limits.deleteEntityDefault('key-1');
    expect(await limits.deleteEntity('key-1', 'gpt-4')).toBe(true);
    expect(await Promise.all(LEVELS.map((level) => limits.get(level)))).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('are what the reader of the engine reads', async () => {
    const world = limitsWorld();
    const level = { level: 'resource', resource: 'gpt-4' } as const;
    await world.limits.set(level, [rpm, tpm]);
    await world.limits.setOnUnavailable('allow');

    const wire = (limit: Limit) => ({
      M: Object.fromEntries(
        Object.entries(limit).map(([name, value]) => [name, typeof value === 'number' ? { N: `${value}` } : { S: value }]),
      ),
    });
    const [entry] = configFromItems(
      'ns1',
      [level],
      [{ ...keyOnWire(level), v: { N: '1' }, limits: { L: [wire(rpm), wire(tpm)] } } as WireItem],
    );

    expect(itemOf(world, level)).toMatchObject({ v: 1, limits: [{ ...rpm }, { ...tpm }] });
    expect(entry?.record?.limits).toEqual([rpm, tpm]);
    expect(itemOf(world, { level: 'system' })).toMatchObject({ unavailable: 'allow' });
  });

  it('write nothing, and remember nothing, when they are like that already', async () => {
    const world = limitsWorld();
    await world.limits.setResource('gpt-4', [rpm, tpm]);
    const before = world.table.items();

    await world.limits.setResource('gpt-4', [tpm, rpm]);
    await world.limits.deleteResource('gpt-3');
    await world.limits.setOnUnavailable(undefined);

    expect(world.table.items()).toEqual(before);
    expect(world.transactions).toHaveLength(1);
  });

  it('have versions that grow, also over deletion and when the clock is set back', async () => {
    const world = limitsWorld();
    const level = { level: 'resource', resource: 'gpt-4' } as const;
    const versions: number[] = [];
    const note = (): void => void versions.push(Number(itemOf(world, level)?.['ver']));

    await world.limits.set(level, [rpm]);
    note();
    world.nowMs -= 5_000;
    await world.limits.delete(level);
    note();
    await world.limits.set(level, [rpm]);
    note();
    world.nowMs += 60_000;
    await world.limits.set(level, [tpm]);
    note();

    expect(versions).toEqual([START_MS, START_MS + 1, START_MS + 2, START_MS + 55_000]);
  });

  it('leave a tombstone that expires after thirty days, and is none any more when they are set again', async () => {
    const world = limitsWorld();
    const level = { level: 'entity', entity: 'key-1', resource: 'gpt-4' } as const;
    await world.limits.set(level, [rpm]);

    await world.limits.delete(level);
    expect(itemOf(world, level)).toMatchObject({ deleted: true, ttl: START_MS / 1000 + 30 * 86_400 });
    expect(itemOf(world, level)).not.toHaveProperty('limits');

    await world.limits.set(level, [rpm]);
    expect(itemOf(world, level)).not.toHaveProperty('deleted');
    expect(itemOf(world, level)).not.toHaveProperty('ttl');
  });

  it('remember the names of limits that they no longer have', async () => {
    const world = limitsWorld();
    const level = { level: 'resource', resource: 'gpt-4' } as const;
    const names = (): unknown => itemOf(world, level)?.['retired'];

    await world.limits.set(level, [rpm, tpm]);
    expect(names()).toBeUndefined();
    await world.limits.set(level, [rpm]);
    expect(names()).toEqual(['tpm']);
    await world.limits.delete(level);
    expect(names()).toEqual(['tpm', 'rpm']);
    await world.limits.set(level, [tpm, rpm]);
    expect(names()).toBeUndefined();
  });

  it('tell the caches of every write, also of one whose answer was lost', async () => {
    const world = limitsWorld();
    await world.limits.setSystem([rpm]);
    await world.limits.setSystem([rpm]);
    world.before = () => Promise.reject(new Error('lost'));
    await expect(world.limits.setResource('gpt-4', [rpm])).rejects.toThrow('lost');

    expect(world.told).toEqual([{ level: 'system' }, { level: 'resource', resource: 'gpt-4' }]);
  });

  it('are decided anew when somebody else came in between', async () => {
    const world = limitsWorld();
    const other = limitsWorld(world.table);
    other.nowMs = START_MS + 10;
    world.before = () => other.limits.setSystem([tpm]);

    await world.limits.setSystem([rpm], { actor: 'late' });

    expect(world.transactions).toHaveLength(2);
    expect(await world.limits.getSystem()).toMatchObject({ limits: [rpm], version: START_MS + 11 });
    expect(JSON.parse(String(world.events().find((event) => event['actor'] === 'late')?.['before']))).toMatchObject({
      limits: [{ name: 'tpm' }],
    });
  });

  it('are not deleted by one who decided on what another has taken away', async () => {
    const world = limitsWorld();
    await world.limits.setSystem([rpm]);
    world.before = async () => void (await limitsWorld(world.table).limits.deleteSystem());

    expect(await world.limits.deleteSystem()).toBe(false);
  });
});

describe('what lies beside the limits of a level', () => {
  it('W-43: setting and deleting system limits never loses the policy, nor that the namespace is closed', async () => {
    const world = limitsWorld();
    const system = { level: 'system' } as const;
    await world.limits.setOnUnavailable('allow');
    await writeBeside(world, system, { closed: true });

    await world.limits.setSystem([rpm]);
    expect(itemOf(world, system)).toMatchObject({ unavailable: 'allow', closed: true });
    await world.limits.deleteSystem();

    expect(itemOf(world, system)).toMatchObject({ unavailable: 'allow', closed: true });
    expect(itemOf(world, system)).not.toHaveProperty('deleted');
    expect(itemOf(world, system)).not.toHaveProperty('ttl');
    expect(await world.limits.getOnUnavailable()).toBe('allow');
  });

  it('W-43: setting and deleting default limits of an entity never loses how it is treated, nor why', async () => {
    const world = limitsWorld();
    const level = { level: 'entity-default', entity: 'key-1' } as const;
    await writeBeside(world, level, { mode: 'disabled', reason: 'unpaid' });

    await world.limits.set(level, [rpm]);
    await world.limits.delete(level);

    expect(itemOf(world, level)).toMatchObject({ mode: 'disabled', reason: 'unpaid' });
    expect(itemOf(world, level)).not.toHaveProperty('deleted');
  });

  it('stays as it is when the policy is set and taken away', async () => {
    const world = limitsWorld();
    await world.limits.setSystem([rpm]);

    await world.limits.setOnUnavailable('block');
    expect(await world.limits.getOnUnavailable()).toBe('block');
    await world.limits.setOnUnavailable(undefined);

    expect(await world.limits.getOnUnavailable()).toBeUndefined();
    expect(await world.limits.getSystem()).toMatchObject({ limits: [rpm], version: START_MS + 2 });
  });

  it('stays, whatever a newer release may keep there', async () => {
    const world = limitsWorld();
    const system = { level: 'system' } as const;
    world.table.put({ PK: 'ns1/s', SK: 'limits', v: 2, ver: 1, upd: 1, comingSoon: 'x' });

    await world.limits.setSystem([rpm]);
    await world.limits.deleteSystem();

    expect(itemOf(world, system)).toMatchObject({ comingSoon: 'x', v: 2 });
    expect(itemOf(world, system)).not.toHaveProperty('deleted');
  });
});

describe('the events of stored limits', () => {
  it('W-43: are part of the write, with what was there before and after, to the millisecond', async () => {
    const world = limitsWorld();
    await world.limits.setEntity('key-1', 'gpt-4', [rpm], { actor: 'ann' });
    world.nowMs += 7;
    await world.limits.setEntity('key-1', 'gpt-4', [tpm], { actor: 'bob' });
    await world.limits.deleteEntity('key-1', 'gpt-4');

    const of = (limit: Limit): string => JSON.stringify({ limits: [{ ...limit }] });
    const plain = (text: unknown): unknown => (text === undefined ? undefined : JSON.parse(String(text)));
    expect(world.events().map(({ before, after, ...event }) => ({ ...event, before: plain(before), after: plain(after) }))).toMatchObject([
      { action: 'limits.set', subject: 'entity/key-1', resource: 'gpt-4', actor: 'ann', at: START_MS, after: plain(of(rpm)) },
      { action: 'limits.set', actor: 'bob', at: START_MS + 7, before: plain(of(rpm)), after: plain(of(tpm)) },
      { action: 'limits.delete', before: plain(of(tpm)), after: undefined },
    ]);
    expect(world.transactions).toHaveLength(3);
    for (const writes of world.transactions) expect(writes.filter(({ kind }) => kind === 'put').length).toBeGreaterThanOrEqual(2);
  });

  it('say who by the option of the limiter where the call does not', async () => {
    const world = limitsWorld();
    const { StoredLimits } = await import('./stored-limits.js');
    await new StoredLimits({ ...world.parts, actor: 'service' }).setOnUnavailable('allow');

    expect(world.events()).toMatchObject([
      { action: 'policy.set', subject: 'system', actor: 'service', after: '{"onUnavailable":"allow"}' },
    ]);
  });
});

function keyOnWire(level: ConfigLevel): WireItem {
  const { partition, sort } = configKey('ns1', level);
  return { PK: { S: partition }, SK: { S: sort } };
}
