import type { Item, ItemTable, ItemWrite } from '@millrace/limiter/admin';
import { describe, expect, it } from 'vitest';
import { ScratchItems } from './scratch-items.js';

type Case = readonly [title: string, writes: (scratch: ScratchItems) => readonly ItemWrite[]];

const CASES: readonly Case[] = [
  ['no write at all', () => []],
  ['more writes than fit into one', (scratch) => Array.from({ length: 101 }, (_, index) => scratch.put(`item-${index}`))],
  ['two writes of one item', (scratch) => [scratch.put('a'), { kind: 'delete', key: scratch.key('a') }]],
  ['a write of an item and a check of it', (scratch) => [scratch.put('a'), check(scratch, 'a')]],
  ['an undefined attribute of an item', (scratch) => [scratch.put('a', { none: undefined })]],
  ['an undefined value deep in an item', (scratch) => [scratch.put('a', { list: [{ none: undefined }] })]],
  ['an undefined value of an update', (scratch) => [{ kind: 'update', key: scratch.key('a'), set: { none: undefined } }]],
  ['a number that is none', (scratch) => [scratch.put('a', { n: Number.NaN })]],
  ['a number without end', (scratch) => [scratch.put('a', { n: Number.POSITIVE_INFINITY })]],
  ['an update that changes nothing', (scratch) => [{ kind: 'update', key: scratch.key('a') }]],
  ['an update that names an attribute twice', (scratch) => [{ kind: 'update', key: scratch.key('a'), set: { n: 1 }, remove: ['n'] }]],
  ['an update of the key', (scratch) => [{ kind: 'update', key: scratch.key('a'), set: { SK: 'b' } }]],
  ['an addition to a text', (scratch) => [{ kind: 'update', key: scratch.key('there'), add: { text: 1 } }]],
  ['an empty sort key', (scratch) => [scratch.put('')]],
  ['an item without a sort key', (scratch) => [{ kind: 'put', item: { PK: scratch.partition } as Item }]],
];

function check(scratch: ScratchItems, sort: string): ItemWrite {
  return { kind: 'check', key: scratch.key(sort), when: [{ attribute: 'PK', is: 'absent' }] };
}

/** Requests that can never work: they are failures that say that nothing happened, and nothing has. */
export function describeItemRefusals(table: () => ItemTable): void {
  describe('refuses', () => {
    it.each(CASES)('%s', async (_, writes) => {
      const scratch = new ScratchItems(table());
      await scratch.table.transact([scratch.put('there', { text: 'x' })]);

      const outcome = scratch.table.transact(writes(scratch));

      await expect(outcome).rejects.toMatchObject({ name: 'StoreFailure', applied: 'no' });
      expect(await scratch.sorts()).toEqual(['there']);
    });
  });
}
