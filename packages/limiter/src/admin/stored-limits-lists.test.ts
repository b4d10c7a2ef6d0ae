import { type ConfigLevel, Limit } from '@millrace/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyName, LONGEST_NAMES } from '../../../core/test/any-name.js';
import { limitsWorld } from '../../test/limits-world.js';
import { managedLink } from './level-links.js';
import { levelName, levelNamed } from './level-name.js';

const rpm = [Limit.perMinute('rpm', 500)];

describe('lists of stored limits', () => {
  it('name the resources that have limits of their own, in pages', async () => {
    const { limits } = limitsWorld();
    const names = ['api', 'gpt-4', 'openai/gpt-4', '%2F', '日本'];
    for (const name of names) await limits.setResource(name, rpm);
    await limits.setEntity('key-1', 'elsewhere', rpm);
    await limits.setResource('gone', rpm);
    await limits.deleteResource('gone');

    const first = await limits.listResources({ pageSize: 2 });
    const rest = await limits.listResources({ pageSize: 3, ...(first.next === undefined ? {} : { after: first.next }) });

    expect(first.names).toHaveLength(2);
    expect([...first.names, ...rest.names].sort()).toEqual([...names].sort());
    expect(rest.next).toBeUndefined();
  });

  it('name the entities that have limits of their own for a resource', async () => {
    const { limits } = limitsWorld();
    await limits.setEntity('key-1', 'gpt-4', rpm);
    await limits.setEntity('key/2', 'gpt-4', rpm);
    await limits.setEntity('key-3', 'gpt', rpm);
    await limits.setEntityDefault('key-4', rpm);

    expect(await limits.listEntities('gpt-4')).toEqual({ names: ['key/2', 'key-1'] });
    expect(await limits.listEntities('gpt')).toEqual({ names: ['key-3'] });
    expect(await limits.listEntities('none')).toEqual({ names: [] });
    await limits.deleteEntity('key-1', 'gpt-4');
    expect(await limits.listEntities('gpt-4')).toEqual({ names: ['key/2'] });
  });

  it("show an entity's default and its limits by resource, without what was deleted", async () => {
    const { limits } = limitsWorld();
    await limits.setEntityDefault('key', rpm);
    for (const resource of ['a', 'b', 'c', 'd', 'e/f']) await limits.setEntity('key', resource, rpm);
    await limits.deleteEntity('key', 'a');
    await limits.deleteEntity('key', 'c');
    await limits.setEntity('key-2', 'a', rpm);

    const first = await limits.listOfEntity('key', { pageSize: 2 });
    const second = await limits.listOfEntity('key', { pageSize: 2, ...(first.next === undefined ? {} : { after: first.next }) });

    expect(first.levels.map(({ resource }) => resource)).toEqual([undefined, 'b', 'd']);
    expect(second.levels.map(({ resource }) => resource)).toEqual(['e/f']);
    expect(second.next).toBeUndefined();
    expect(first.levels[0]?.limits).toEqual(rpm);
    expect(await limits.listOfEntity('nobody')).toEqual({ levels: [] });
  });
});

const anyLevel: fc.Arbitrary<ConfigLevel> = fc.oneof(
  fc.constant({ level: 'system' as const }),
  anyName.map((resource) => ({ level: 'resource' as const, resource })),
  anyName.map((entity) => ({ level: 'entity-default' as const, entity })),
  fc.tuple(anyName, anyName).map(([entity, resource]) => ({ level: 'entity' as const, entity, resource })),
);

describe('the name of a level', () => {
  it('reads back, and differs for every two levels', () => {
    fc.assert(
      fc.property(anyLevel, anyLevel, (a, b) => {
        expect(levelNamed(levelName(a))).toEqual(a);
        expect(levelName(a) === levelName(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
      { numRuns: 20_000 },
    );
  });

  it.each(['', 'system/x', 'resource', 'resource/', 'resource/a/b', 'entity/', 'entity/a/b/c', 'entity//b', 'other/a', 'resource/%41'])(
    'is never %j',
    (name) => expect(levelNamed(name)).toBeUndefined(),
  );

  it('makes links whose keys DynamoDB takes, and that differ, also for the longest names', () => {
    const keys = LONGEST_NAMES.flatMap((entity) =>
      LONGEST_NAMES.map((resource) => managedLink('ns1', 'm', { level: 'entity', entity, resource })),
    );

    expect(new Set(keys.map(({ sort }) => sort)).size).toBe(keys.length);
    for (const { sort } of keys) expect(Buffer.byteLength(sort)).toBeLessThanOrEqual(1_024);
  });
});
