import { Limit } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { entitiesWorld } from '../../test/entities-world.js';

const rpm = Limit.perMinute('rpm', 100);

describe('the control of an entity', () => {
  it('is to enforce its limits unless somebody says otherwise', async () => {
    const { entities, limits } = entitiesWorld();
    expect(await entities.control('nobody')).toEqual({ mode: 'enforce' });

    await limits.setEntityDefault('nobody', [rpm]);

    expect(await entities.control('nobody')).toEqual({ mode: 'enforce' });
  });

  it.each([
    { mode: 'disabled', call: 'disable' },
    { mode: 'bypass', call: 'bypass' },
    { mode: 'shadow', call: 'shadow' },
  ] as const)('is $mode after $call, with its reason, whether the entity was created or not', async ({ mode, call }) => {
    const { entities } = entitiesWorld();
    await entities.create('key');

    for (const id of ['key', 'nobody', 'a/b']) {
      await entities[call](id, { reason: 'unpaid since May' });
      expect(await entities.control(id)).toEqual({ mode, reason: 'unpaid since May' });
      await entities[call](id);
      expect(await entities.control(id)).toEqual({ mode });
    }
  });

  it('is back to enforce after enable, and nothing but a tombstone is left of it', async () => {
    const { entities, item } = entitiesWorld();
    await entities.disable('key', { reason: 'unpaid' });
    const { ver } = item('ns1/e/key', 'limits') ?? {};

    await entities.enable('key');

    expect(await entities.control('key')).toEqual({ mode: 'enforce' });
    const left = item('ns1/e/key', 'limits');
    expect(left).toMatchObject({ deleted: true, ttl: expect.any(Number) });
    expect(left).not.toHaveProperty('mode');
    expect(Number(left?.['ver'])).toBeGreaterThan(Number(ver));
  });

  it('and the default limits of an entity leave each other alone', async () => {
    const { entities, limits } = entitiesWorld();
    await limits.setEntityDefault('key', [rpm]);
    await entities.disable('key', { reason: 'unpaid' });
    expect((await limits.getEntityDefault('key'))?.limits).toEqual([rpm]);

    await limits.deleteEntityDefault('key');
    expect(await entities.control('key')).toEqual({ mode: 'disabled', reason: 'unpaid' });

    await limits.setEntityDefault('key', [rpm]);
    await entities.enable('key');
    expect((await limits.getEntityDefault('key'))?.limits).toEqual([rpm]);
  });

  it('leaves an event with what was before and after, and tells the caches', async () => {
    const world = entitiesWorld();
    await world.entities.disable('key', { reason: 'unpaid', actor: 'ada' });
    await world.entities.shadow('key');

    expect(world.events()).toMatchObject([
      {
        action: 'entity.control',
        subject: 'entity/key',
        actor: 'ada',
        before: '{"mode":"enforce"}',
        after: '{"mode":"disabled","reason":"unpaid"}',
      },
      { action: 'entity.control', before: '{"mode":"disabled","reason":"unpaid"}', after: '{"mode":"shadow"}' },
    ]);
    expect(world.told).toEqual([
      { level: 'entity-default', entity: 'key' },
      { level: 'entity-default', entity: 'key' },
    ]);
  });

  it('that is as it shall be already is not written again', async () => {
    const { entities, table } = entitiesWorld();
    await entities.disable('key', { reason: 'unpaid' });
    const before = table.items();

    await entities.disable('key', { reason: 'unpaid' });
    await entities.enable('nobody');

    expect(table.items()).toEqual(before);
  });

  it('keeps limits that are set at the same moment', async () => {
    const world = entitiesWorld();
    world.before = () => world.limits.setEntityDefault('key', [rpm]);

    await world.entities.disable('key');

    expect(await world.entities.control('key')).toEqual({ mode: 'disabled' });
    expect((await world.limits.getEntityDefault('key'))?.limits).toEqual([rpm]);
  });

  it.each([
    { title: 'a reason of nothing', options: { reason: ' ' } },
    { title: 'a reason that is a number', options: { reason: 5 } },
    { title: 'a reason that is too long', options: { reason: 'x'.repeat(501) } },
    { title: 'a key that nobody reads', options: { why: 'unpaid' } },
    { title: 'an actor of nothing', options: { actor: '' } },
    { title: 'options of null', options: null },
  ])('is refused with $title, before anything is sent', async ({ options }) => {
    const world = entitiesWorld();

    await expect(world.entities.disable('key', options as never)).rejects.toMatchObject({ code: 'VALIDATION' });

    expect([world.reads(), world.transactions.length]).toEqual([0, 0]);
  });

  it('of enable has no reason', async () => {
    await expect(entitiesWorld().entities.enable('key', { reason: 'paid' } as never)).rejects.toMatchObject({ code: 'VALIDATION' });
  });
});
