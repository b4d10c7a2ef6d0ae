import { describe, expect, it } from 'vitest';
import { describeItemTable } from './contract/index.js';
import { Crash, CrashingTable } from './crashing-table.js';
import { MemoryTable } from './memory-table.js';

describeItemTable('MemoryTable', async () => ({ store: new MemoryTable(), close: async () => undefined }));
describeItemTable('CrashingTable without a point', async () => ({
  store: new CrashingTable(new MemoryTable()),
  close: async () => undefined,
}));

const put = (sort: string) => ({ kind: 'put', item: { PK: 'p', SK: sort } }) as const;
const key = (sort: string) => ({ partition: 'p', sort });
const sortsIn = (table: MemoryTable) => table.items().map((item) => item['SK']);

describe('a table that crashes', () => {
  it('before a request leaves it undone, and sends nothing more', async () => {
    const memory = new MemoryTable();
    const table = new CrashingTable(memory, { at: 2, when: 'before' });
    await table.transact([put('a')]);

    await expect(table.transact([put('b')])).rejects.toBeInstanceOf(Crash);
    await expect(table.get([key('a')])).rejects.toBeInstanceOf(Crash);

    expect(sortsIn(memory)).toEqual(['a']);
    expect([table.requests, table.crashed]).toEqual([2, true]);
  });

  it('after a request leaves it done', async () => {
    const memory = new MemoryTable();
    const table = new CrashingTable(memory, { at: 1, when: 'after' });

    await expect(table.transact([put('a')])).rejects.toBeInstanceOf(Crash);

    expect(sortsIn(memory)).toEqual(['a']);
  });

  it('in the midst of many deletes leaves some done', async () => {
    const memory = new MemoryTable();
    const sorts = Array.from({ length: 60 }, (_, index) => `item-${index}`);
    await memory.transact(sorts.map(put));
    const table = new CrashingTable(memory, { at: 2, when: 'after' });

    await expect(table.deleteAll(sorts.map(key))).rejects.toBeInstanceOf(Crash);

    expect(memory.items()).toHaveLength(10);
    expect(table.operations).toEqual(['deleteAll', 'deleteAll']);
  });
});
