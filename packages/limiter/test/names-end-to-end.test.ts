import { Limit } from '@millrace/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenTable, openTable } from './open-table.js';

/** Every printable ASCII character, in a name of its own and all in one. */
const ASCII = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index));
const NAMES = [
  ...ASCII,
  ASCII.join(''),
  '😀👩‍👩‍👧‍👦',
  'مفتاح المشروع',
  'שלום/עולם',
  '\u202eright-to-left',
  'ключ №1',
  '鍵',
  'a%2Fb',
  'a/b',
  'a%252Fb',
];

describe('names of any printable character', () => {
  let opened: OpenTable;

  beforeAll(async () => {
    opened = await openTable();
  });

  afterAll(() => opened?.close());

  it('work from end to end: entities, parents, resources, limits, buckets, events, namespaces', async () => {
    const root = await opened.open();
    await root.namespaces.register(NAMES.at(-4) as string);
    const limiter = await root.namespace(NAMES.at(-4) as string);
    await limiter.entities.create('parent');
    for (const name of NAMES) {
      await limiter.entities.create(name, { parent: 'parent', cascade: true });
      await limiter.limits.setEntity(name, name, [Limit.perMinute('rpm', 2)]);
      await limiter.acquire(name, name, { rpm: 1 });
    }

    for (const name of NAMES) {
      expect(await limiter.available(name, name)).toEqual({ rpm: 1 });
      expect(await limiter.limits.listEntities(name)).toEqual({ names: [name] });
      expect((await limiter.audit.list({ subject: `entity/${name}` })).events.map(({ action }) => action)).toEqual([
        'limits.set',
        'entity.create',
      ]);
    }
    const { ids } = await limiter.entities.children('parent', { pageSize: 1_000 });
    expect([...ids].sort()).toEqual([...NAMES].sort());
    expect((await root.entities.list()).ids).toEqual([]);
  });
});
