import type { Condition, ItemTable, ItemWrite } from '@millrace/limiter/admin';
import { describe, expect, it } from 'vitest';
import { ScratchItems } from './scratch-items.js';

const VALUES = {
  text: 'größer 🦀',
  empty: '',
  zero: 0,
  negative: -1,
  fraction: 0.02,
  millis: 1_800_000_000_000,
  micros: 1_800_000_000_000_001,
  largest: Number.MAX_SAFE_INTEGER,
  counter: 1_767_225_600_000_000_007n,
  yes: true,
  no: false,
  list: [{ name: 'rpm', refill: 500, reserve: 0.02 }, 'two', []],
  map: { a: { b: [1, 2] }, 'with.dot': 1 },
};

/** Writes that happen together or not at all. */
export function describeItemTransactions(table: () => ItemTable): void {
  describe('transactions', () => {
    it('store plain values of every kind, and give back the same', async () => {
      const scratch = new ScratchItems(table());

      await scratch.table.transact([scratch.put('a', VALUES)]);

      expect(await scratch.at('a')).toStrictEqual(scratch.item('a', VALUES));
    });

    it('compare counters that no number of JavaScript holds, to the token', async () => {
      const scratch = new ScratchItems(table());
      const counter = 1_767_225_600_000_000_007n;
      await scratch.table.transact([scratch.put('a', { counter })]);
      const update = (when: Condition): ItemWrite => ({ kind: 'update', key: scratch.key('a'), set: { counter: counter + 1n }, when });

      const outcomes = [
        await scratch.table.transact([update([{ attribute: 'counter', equals: counter - 1n }])]),
        await scratch.table.transact([update([{ attribute: 'counter', atMost: counter - 1n }])]),
        await scratch.table.transact([update([{ attribute: 'counter', equals: counter }])]),
        await scratch.table.transact([update([{ attribute: 'counter', atMost: counter + 1n }])]),
      ];

      expect(outcomes).toEqual(['conflict', 'conflict', 'done', 'done']);
      expect(await scratch.at('a')).toStrictEqual(scratch.item('a', { counter: counter + 1n }));
    });

    it('count on from where a number begins or has come to, to the token, however large it is', async () => {
      const scratch = new ScratchItems(table());
      const begin = 1_767_225_600_000_000_007n;
      const count = (counter: number, small: number): ItemWrite => ({
        kind: 'update',
        key: scratch.key('a'),
        set: { name: 'meter' },
        count: { counter: { begin, add: counter }, small: { begin: 5, add: small }, still: { begin: begin + 1n, add: 0 } },
      });

      expect(await scratch.table.transact([count(3, 1)])).toBe('done');
      expect(await scratch.table.transact([count(4, 1)])).toBe('done');

      expect(await scratch.at('a')).toStrictEqual(scratch.item('a', { name: 'meter', counter: begin + 7n, small: 7, still: begin + 1n }));
    });

    it('put over what was there, and nothing of it is left', async () => {
      const scratch = new ScratchItems(table());
      await scratch.table.transact([scratch.put('a', { old: 1, both: 1 })]);

      await scratch.table.transact([scratch.put('a', { both: 2 })]);

      expect(await scratch.at('a')).toStrictEqual(scratch.item('a', { both: 2 }));
    });

    it('update some attributes, add to others, remove others and leave the rest', async () => {
      const scratch = new ScratchItems(table());
      await scratch.table.transact([scratch.put('a', { set: 1, added: 2, removed: 3, kept: 4 })]);

      await scratch.table.transact([
        { kind: 'update', key: scratch.key('a'), set: { set: 'x' }, add: { added: -5, fresh: 7 }, remove: ['removed', 'never'] },
      ]);

      expect(await scratch.at('a')).toStrictEqual(scratch.item('a', { set: 'x', added: -3, fresh: 7, kept: 4 }));
    });

    it('update an item that is not there by making it', async () => {
      const scratch = new ScratchItems(table());

      await scratch.table.transact([{ kind: 'update', key: scratch.key('a'), add: { count: 1 } }]);

      expect(await scratch.at('a')).toStrictEqual(scratch.item('a', { count: 1 }));
    });

    it('delete what is there and what is not', async () => {
      const scratch = new ScratchItems(table());
      await scratch.fill(['a']);

      const outcome = await scratch.table.transact([
        { kind: 'delete', key: scratch.key('a') },
        { kind: 'delete', key: scratch.key('b') },
      ]);

      expect([outcome, await scratch.sorts()]).toEqual(['done', []]);
    });

    it('use names that DynamoDB reserves, and names with dots', async () => {
      const scratch = new ScratchItems(table());
      const attributes = { name: 'n', ttl: 1, 't.rpm': 2 };

      await scratch.table.transact([{ kind: 'update', key: scratch.key('a'), set: attributes }]);

      expect(await scratch.at('a')).toStrictEqual(scratch.item('a', attributes));
    });

    it('of a hundred writes all happen', async () => {
      const scratch = new ScratchItems(table());
      const sorts = Array.from({ length: 100 }, (_, index) => `item-${index + 100}`);

      await scratch.table.transact(sorts.map((sort) => scratch.put(sort)));

      expect(await scratch.sorts()).toEqual(sorts);
    });
  });

  describe('conditions', () => {
    const CASES: readonly [title: string, when: ItemWrite['when'], holds: boolean][] = [
      ['an attribute that is present', [{ attribute: 'n', is: 'present' }], true],
      ['an attribute that should be present', [{ attribute: 'none', is: 'present' }], false],
      ['an attribute that is absent', [{ attribute: 'none', is: 'absent' }], true],
      ['an attribute that should be absent', [{ attribute: 'n', is: 'absent' }], false],
      ['an item that should be absent', [{ attribute: 'PK', is: 'absent' }], false],
      ['a number that is equal', [{ attribute: 'n', equals: 5 }], true],
      ['a number that is not', [{ attribute: 'n', equals: 6 }], false],
      ['a number and its text', [{ attribute: 'n', equals: '5' }], false],
      ['a text that is equal', [{ attribute: 's', equals: 'x' }], true],
      ['a flag that is equal', [{ attribute: 'f', equals: false }], true],
      ['a flag that is not', [{ attribute: 'f', equals: true }], false],
      ['an attribute that is not there and a value', [{ attribute: 'none', equals: 0 }], false],
      ['a number at its bound', [{ attribute: 'n', atMost: 5 }], true],
      ['a number above its bound', [{ attribute: 'n', atMost: 4 }], false],
      ['a text and a bound', [{ attribute: 's', atMost: 4 }], false],
      ['an attribute that is not there and a bound', [{ attribute: 'none', atMost: 4 }], false],
      [
        'two clauses of which one holds',
        [
          { attribute: 'n', equals: 5 },
          { attribute: 's', equals: 'y' },
        ],
        false,
      ],
      [
        'two clauses that hold',
        [
          { attribute: 'n', equals: 5 },
          { attribute: 's', equals: 'x' },
        ],
        true,
      ],
    ];

    it.each(CASES)('%s', async (_, when, holds) => {
      const scratch = new ScratchItems(table());
      await scratch.table.transact([scratch.put('a', { n: 5, s: 'x', f: false })]);

      const outcome = await scratch.table.transact([
        { kind: 'check', key: scratch.key('a'), when: when ?? [] },
        { kind: 'put', item: scratch.item('b') },
      ]);

      expect(outcome).toBe(holds ? 'done' : 'conflict');
      expect(await scratch.sorts()).toEqual(holds ? ['a', 'b'] : ['a']);
    });

    it('guard each kind of write, and of all writes none happens if one does not hold', async () => {
      const scratch = new ScratchItems(table());
      await scratch.table.transact([scratch.put('a', { n: 1 }), scratch.put('b', { n: 1 })]);
      const stale = [{ attribute: 'n', equals: 0 }];
      const guarded: readonly ItemWrite[] = [
        { kind: 'put', item: scratch.item('a', { n: 2 }), when: stale },
        { kind: 'update', key: scratch.key('a'), set: { n: 2 }, when: stale },
        { kind: 'delete', key: scratch.key('a'), when: stale },
        { kind: 'check', key: scratch.key('a'), when: stale },
      ];

      for (const write of guarded) {
        const outcome = await scratch.table.transact([{ kind: 'delete', key: scratch.key('b') }, write, scratch.put('c')]);

        expect(outcome).toBe('conflict');
        expect(await scratch.sorts()).toEqual(['a', 'b']);
        expect(await scratch.at('a')).toMatchObject({ n: 1 });
      }
    });

    it('of many that read the same state and write at once, one wins', async () => {
      const scratch = new ScratchItems(table());
      await scratch.table.transact([scratch.put('a', { ver: 1 })]);

      const outcomes = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          scratch.table.transact([
            { kind: 'update', key: scratch.key('a'), set: { ver: 2, by: index }, when: [{ attribute: 'ver', equals: 1 }] },
            scratch.put(`link-${index}`),
          ]),
        ),
      );

      const winners = outcomes.flatMap((outcome, index) => (outcome === 'done' ? [index] : []));
      expect(winners).toHaveLength(1);
      expect(await scratch.at('a')).toMatchObject({ ver: 2, by: winners[0] });
      expect(await scratch.sorts()).toEqual(['a', `link-${winners[0]}`]);
    });
  });
}
