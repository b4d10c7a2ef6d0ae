import { randomUUID } from 'node:crypto';
import type { ItemKey } from '@millrace/core';
import type { ItemTable } from '@millrace/limiter/admin';
import { describe, expect, it } from 'vitest';
import { ScratchItems } from './scratch-items.js';

/** An index follows its table after a moment. */
const CATCHING_UP = { timeout: 20_000, interval: 20 };

/** The sparse index. */
export function describeItemIndex(table: () => ItemTable): void {
  describe('the index', () => {
    it('gives the keys of what is under a name, of all partitions, a page at a time, and nothing else', async () => {
      const [a, b] = [new ScratchItems(table()), new ScratchItems(table())];
      const name = `name-${randomUUID()}`;
      await table().transact([
        ...['1', '2', '3'].flatMap((sort) => [a.put(sort, { w: name }), b.put(sort, { w: name })]),
        a.put('other', { w: `other-${name}` }),
        a.put('none', {}),
      ]);

      const expected = [a, b].flatMap((scratch) => ['1', '2', '3'].map((sort) => textOf(scratch.key(sort)))).sort();
      await expect.poll(() => all(table(), name, 100), CATCHING_UP).toEqual(expected);
      expect(await all(table(), name, 4)).toEqual(expected);
    });

    it('knows nothing any more of what was deleted, and keeps its place when the page before is deleted', async () => {
      const scratch = new ScratchItems(table());
      const name = `name-${randomUUID()}`;
      await table().transact(['1', '2', '3', '4'].map((sort) => scratch.put(sort, { w: name })));

      await expect.poll(() => all(table(), name, 10), CATCHING_UP).toHaveLength(4);

      const first = await table().indexed(name, undefined, 2);
      await table().deleteAll(first.keys);
      const rest = await table().indexed(name, first.next, 10);

      expect([...first.keys, ...rest.keys].map(({ sort }) => sort).sort()).toEqual(['1', '2', '3', '4']);
      await expect.poll(() => all(table(), name, 10), CATCHING_UP).toEqual(rest.keys.map(textOf).sort());
    });

    it('gives nothing of a name that nothing has', async () => {
      expect(await table().indexed(`name-${randomUUID()}`, undefined, 10)).toStrictEqual({ keys: [] });
    });
  });
}

/** All that is under a name, page after page. */
async function all(table: ItemTable, name: string, pageSize: number): Promise<readonly string[]> {
  const keys: ItemKey[] = [];
  let after: ItemKey | undefined;
  do {
    const page = await table.indexed(name, after, pageSize);
    expect(page.keys.length).toBeLessThanOrEqual(pageSize);
    keys.push(...page.keys);
    after = page.next;
  } while (after !== undefined);
  return keys.map(textOf).sort();
}

function textOf({ partition, sort }: ItemKey): string {
  return `${partition} ${sort}`;
}
