import type { ItemKey } from '@millrace/core';
import type { ItemTable } from '@millrace/limiter/admin';
import { describe, expect, it } from 'vitest';
import { ScratchItems } from './scratch-items.js';

const MANY = Array.from({ length: 230 }, (_, index) => `item-${index + 1_000}`);

/** Reading and deleting many items, and reading all. */
export function describeItemBatches(table: () => ItemTable): void {
  describe('reads', () => {
    it('give items in the order they were asked for, and undefined where there is none', async () => {
      const scratch = new ScratchItems(table());
      await scratch.table.transact([scratch.put('a', { n: 1 }), scratch.put('b', { n: 2 })]);

      const items = await scratch.table.get(['b', 'none', 'a', 'b'].map((sort) => scratch.key(sort)));

      expect(items).toStrictEqual([scratch.item('b', { n: 2 }), undefined, scratch.item('a', { n: 1 }), scratch.item('b', { n: 2 })]);
    });

    it('of nothing give nothing', async () => {
      expect(await table().get([])).toStrictEqual([]);
    });

    it('of more than fit into a request give all', async () => {
      const scratch = new ScratchItems(table());
      await scratch.fill(MANY);

      const items = await scratch.table.get(MANY.map((sort) => scratch.key(sort)));

      expect(items.map((item) => item?.['SK'])).toEqual(MANY);
    });

    it('are copies: what a reader changes stays as it is in the table', async () => {
      const scratch = new ScratchItems(table());
      const list = ['x'];
      await scratch.table.transact([scratch.put('a', { list })]);
      list.push('y');
      const [item] = await scratch.table.get([scratch.key('a')]);
      const read = item?.['list'];
      if (Array.isArray(read)) read.push('z');

      expect(read).toEqual(['x', 'z']);
      expect(await scratch.at('a')).toStrictEqual(scratch.item('a', { list: ['x'] }));
    });
  });

  describe('deletes', () => {
    it('take away what is named, more than fits into a request, and nothing else', async () => {
      const scratch = new ScratchItems(table());
      await scratch.fill([...MANY, 'other']);

      await scratch.table.deleteAll([...MANY, 'never', ...MANY.slice(0, 3)].map((sort) => scratch.key(sort)));

      expect(await scratch.sorts()).toEqual(['other']);
    });

    it('of nothing do nothing', async () => {
      await expect(table().deleteAll([])).resolves.toBeUndefined();
    });
  });

  describe('scans', () => {
    it('give the keys of every partition with the prefix, once each', async () => {
      const scratch = new ScratchItems(table());
      await scratch.fill(MANY.slice(0, 60));
      const neighbours = [`${scratch.partition}/b/1`, `${scratch.partition}/b/2`];
      const strangers = [`x${scratch.partition}`, scratch.partition.slice(0, -1), scratch.partition.toUpperCase()];
      await scratch.table.transact(
        [...neighbours, ...strangers].map((partition) => ({ kind: 'put', item: { PK: partition, SK: 'bucket', n: 1 } })),
      );

      const keys = await allKeys(scratch.table, scratch.partition, 7);

      const expected = [
        ...MANY.slice(0, 60).map((sort) => scratch.key(sort)),
        ...neighbours.map((partition) => ({ partition, sort: 'bucket' })),
      ];
      expect(keys.map(textOf).sort()).toEqual(expected.map(textOf).sort());
      expect(await allKeys(scratch.table, `${scratch.partition}/`, 1_000)).toHaveLength(2);
      expect((await allKeys(scratch.table, '', 1_000)).length).toBeGreaterThanOrEqual(65);
    });

    it('go on behind a key that was deleted meanwhile', async () => {
      const scratch = new ScratchItems(table());
      await scratch.fill(MANY.slice(0, 60));

      const found = new Set<string>();
      let after: ItemKey | undefined;
      do {
        const page = await scratch.table.scan(scratch.partition, after, 9);
        for (const key of page.keys) found.add(textOf(key));
        await scratch.table.deleteAll(page.keys);
        after = page.next;
      } while (after !== undefined);

      expect(found.size).toBe(60);
      expect(await scratch.sorts()).toEqual([]);
    });

    it('give nothing where no partition has the prefix', async () => {
      expect(await allKeys(table(), 'no-partition-begins-so', 1_000)).toEqual([]);
    });
  });
}

async function allKeys(table: ItemTable, prefix: string, pageSize: number): Promise<readonly ItemKey[]> {
  const keys: ItemKey[] = [];
  let after: ItemKey | undefined;
  do {
    const page = await table.scan(prefix, after, pageSize);
    keys.push(...page.keys);
    after = page.next;
  } while (after !== undefined);
  return keys;
}

function textOf({ partition, sort }: ItemKey): string {
  return JSON.stringify([partition, sort]);
}
