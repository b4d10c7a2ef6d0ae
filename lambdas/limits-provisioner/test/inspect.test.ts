import { Limit } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { properties, StackWorld } from './stack-world.js';

const source = { resources: { api: ['rpm:5/min'], other: ['rpm:1/min'] } };

async function created(more: Record<string, unknown> = {}): Promise<StackWorld> {
  const world = new StackWorld();
  await world.request(world.create(properties(source, more)));
  return world;
}

describe('asking the function for drift', () => {
  it('tells that all is as the stack has applied it', async () => {
    const world = await created();
    expect(await world.invoke({ action: 'drift' })).toEqual({
      action: 'drift',
      table: 'limits-table',
      namespace: 'default',
      manifest: 'm',
      inSync: true,
      summary: { create: 0, update: 0, delete: 0, unchanged: 2 },
      drift: [],
      applied: { stackId: expect.any(String), logicalId: 'Limits', at: '2027-01-15T08:00:00.000Z' },
    });
  });

  it('tells what was changed by hand, and mends nothing', async () => {
    const world = await created();
    await world.limits.limits.setResource('api', [Limit.perMinute('rpm', 50)]);
    await world.limits.limits.deleteResource('other');
    const before = world.limits.table.items();

    const report = await world.invoke({ action: 'drift' });

    expect(report).toMatchObject({
      inSync: false,
      drift: [
        { kind: 'changed', target: 'resource/api', expected: [{ refill: 5 }], found: [{ refill: 50 }] },
        { kind: 'missing', target: 'resource/other' },
      ],
    });
    expect(world.limits.table.items()).toEqual(before);
    expect(world.sent).toHaveLength(1);
  });

  it('counts as left over what the stack would prune, and nothing where it would not', async () => {
    const one = properties({ resources: { api: ['rpm:5/min'] } });
    const world = await created();
    await world.request(world.update('limits-table/default/m', one, properties(source)));
    expect(await world.invoke({ action: 'drift' })).toMatchObject({ inSync: true });
    expect(await world.invoke({ action: 'drift', prune: true })).toMatchObject({
      drift: [{ kind: 'left-over', target: 'resource/other' }],
    });
  });
});

describe('asking the function for a plan', () => {
  it('tells what a given manifest would change', async () => {
    const world = await created();
    const report = await world.invoke({ action: 'plan', manifest: 'name: m\nresources: { api: [rpm:9/min] }' });
    expect(report).toMatchObject({
      summary: { update: 1, delete: 1 },
      changes: [
        { action: 'update', target: 'resource/api' },
        { action: 'delete', target: 'resource/other' },
      ],
    });
    expect(report).not.toHaveProperty('applied');
  });

  it('refuses a manifest with mistakes, telling each', async () => {
    const world = await created();
    await expect(world.invoke({ action: 'plan', manifest: 'resources: { api: [rpm], b: 7 }' })).rejects.toThrow('2 mistakes');
  });
});

describe('a question that cannot be answered', () => {
  it.each([
    ['nothing', {}, 'event field action must be "drift" or "plan", got undefined'],
    ['an apply', { action: 'apply' }, 'got "apply"'],
    ['another key', { action: 'drift', dryRun: true }, 'got "dryRun"'],
    ['no text', { action: 'plan', manifest: {} }, 'event field manifest must be text'],
    ['an odd flag', { action: 'plan', prune: 'yes' }, 'event field prune must be true or false'],
    ['no event', null, 'event must be an object'],
  ])('is an error: %s', async (_, event, message) => {
    const world = await created();
    await expect(world.invoke(event)).rejects.toThrow(message);
  });

  it('is an error where no stack has applied anything', async () => {
    await expect(new StackWorld().invoke({ action: 'drift' })).rejects.toThrow('manifest must be given, as no stack has applied one yet');
  });
});
