import type { ItemQuery, ItemTable } from '@millrace/limiter/admin';
import { describe, expect, it } from 'vitest';
import { ScratchItems } from './scratch-items.js';

/** In the order of their bytes in UTF-8; by the units of JavaScript, the last two would change places. */
const ORDERED = ['A', 'a', 'a/', 'a/1', 'a/2', 'a/2/x', 'a/é', 'a0', 'a1', 'b', 'b/1', 'é', '日', '\uffee', '🦀'];

type Case = readonly [title: string, query: Omit<ItemQuery, 'partition' | 'pageSize'>, expected: readonly string[]];

const CASES: readonly Case[] = [
  ['all', {}, ORDERED],
  ['those of a prefix', { prefix: 'a/' }, ['a/', 'a/1', 'a/2', 'a/2/x', 'a/é']],
  ['those of a prefix at the very end', { prefix: '🦀' }, ['🦀']],
  ['none of a prefix that nothing has', { prefix: 'c/' }, []],
  ['from one on, itself included', { from: 'b' }, ['b', 'b/1', 'é', '日', '\uffee', '🦀']],
  ['up to one, itself included', { to: 'a/' }, ['A', 'a', 'a/']],
  ['from one to another', { from: 'a/1', to: 'a/2' }, ['a/1', 'a/2']],
  ['from one to another that are not there', { from: 'a/1x', to: 'a/9' }, ['a/2', 'a/2/x']],
  ['from one to itself', { from: 'b', to: 'b' }, ['b']],
  ['nothing where the end is before the start', { from: 'b', to: 'a' }, []],
  ['what has both, a prefix and a bound', { prefix: 'a/', from: 'a/2' }, ['a/2', 'a/2/x', 'a/é']],
  ['what has both, a prefix and an end', { prefix: 'a/', to: 'a/1' }, ['a/', 'a/1']],
  ['what has both, a prefix and bounds beyond it', { prefix: 'a/', from: 'A', to: 'b' }, ['a/', 'a/1', 'a/2', 'a/2/x', 'a/é']],
  ['behind one', { after: 'b/1' }, ['é', '日', '\uffee', '🦀']],
  ['behind one that is not there', { after: 'b/0' }, ['b/1', 'é', '日', '\uffee', '🦀']],
  ['behind one before the prefix', { prefix: 'b', after: 'a' }, ['b', 'b/1']],
  ['behind one behind the prefix', { prefix: 'a/', after: 'b' }, []],
  ['behind the last', { after: '🦀' }, []],
];

/** Reading a partition. */
export function describeItemQueries(table: () => ItemTable): void {
  describe('queries', () => {
    it.each(CASES)('give %s, in order, and the other way round', async (_, query, expected) => {
      const scratch = await filled(table());
      const backwards = query.after === undefined ? [...expected].reverse() : [];

      expect(await all(scratch, { ...query, pageSize: 1_000 })).toEqual(expected);
      expect(await all(scratch, { ...query, pageSize: 2 })).toEqual(expected);
      if (query.after === undefined) expect(await all(scratch, { ...query, newestFirst: true, pageSize: 2 })).toEqual(backwards);
    });

    it.each<Case>([
      ['behind one', { after: 'a/1' }, ['a/', 'a', 'A']],
      ['behind one in a prefix', { prefix: 'a/', after: 'a/2' }, ['a/1', 'a/']],
      ['behind one behind the prefix', { prefix: 'a/', after: 'b' }, ['a/é', 'a/2/x', 'a/2', 'a/1', 'a/']],
      ['behind one before the prefix', { prefix: 'a/', after: 'A' }, []],
      ['behind one within bounds', { from: 'a/', to: 'b', after: 'a/2' }, ['a/1', 'a/']],
    ])('newest first give what lies %s', async (_, query, expected) => {
      const scratch = await filled(table());

      expect(await all(scratch, { ...query, newestFirst: true, pageSize: 2 })).toEqual(expected);
    });

    it('say where to go on only if something follows', async () => {
      const scratch = new ScratchItems(table());
      await scratch.fill(['a', 'b', 'c', 'd']);
      const page = (pageSize: number, after?: string) =>
        scratch.table.query({ partition: scratch.partition, pageSize, ...(after === undefined ? {} : { after }) });

      expect((await page(3)).next).toBe('c');
      expect(await page(4)).not.toHaveProperty('next');
      expect(await page(1, 'c')).not.toHaveProperty('next');
      expect(await page(5)).not.toHaveProperty('next');
    });

    it('give whole items, and only those of their partition', async () => {
      const [scratch, other] = [new ScratchItems(table()), new ScratchItems(table())];
      await scratch.table.transact([scratch.put('a', { n: 1, list: ['x'] }), other.put('a', { n: 2 })]);

      const { items } = await scratch.table.query({ partition: scratch.partition, pageSize: 10 });

      expect(items).toStrictEqual([scratch.item('a', { n: 1, list: ['x'] })]);
    });

    it('give nothing of a partition that is empty', async () => {
      const scratch = new ScratchItems(table());

      expect(await scratch.table.query({ partition: scratch.partition, pageSize: 10 })).toStrictEqual({ items: [] });
    });
  });
}

async function filled(table: ItemTable): Promise<ScratchItems> {
  const scratch = new ScratchItems(table);
  await scratch.fill([...ORDERED].reverse());
  return scratch;
}

/** All sort keys that a query gives, page after page. */
async function all(scratch: ScratchItems, query: Omit<ItemQuery, 'partition'>): Promise<readonly unknown[]> {
  const sorts: unknown[] = [];
  let after = query.after;
  for (;;) {
    const page = await scratch.table.query({ ...query, partition: scratch.partition, ...(after === undefined ? {} : { after }) });
    expect(page.items.length).toBeLessThanOrEqual(query.pageSize);
    sorts.push(...page.items.map((item) => item['SK']));
    if (page.next === undefined) return sorts;
    after = page.next;
  }
}
