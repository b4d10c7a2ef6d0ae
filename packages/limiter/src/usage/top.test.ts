import { CrashingTable, MemoryTable } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { UsageWorld } from '../../test/usage-world.js';
import type { TopOptions } from './top.js';

const START = '2027-05-10T08:00:00Z';
const options: TopOptions = { resource: 'gpt-4', type: 'hour', start: new Date(START), limitName: 'rpm' };

/** Numbers that look like chance and are the same in every run. */
function scattered(index: number): number {
  return Number((BigInt(index + 1) * 2_654_435_761n) % 100_003n);
}

describe('the heaviest entities of a resource', () => {
  it('are those that brute force finds among ten thousand, in the order of what they consumed', async () => {
    const table = new CrashingTable(new MemoryTable());
    const world = new UsageWorld({ table });
    world.types = ['hour'];
    const net = new Map<string, number>();
    for (let index = 0; index < 10_000; index += 1) {
      const [entity, used] = [`key-${index}`, scattered(index)];
      // Some of them are spread over several items, and some give back.
      await world.use({ entity, used, shard: 0 });
      if (index % 100 === 0) await world.use({ entity, used: 50_000, shard: 1 });
      const returned = index % 7 === 0 ? Math.floor(used / 2) : 0;
      if (returned > 0) await world.use({ entity, returned });
      net.set(entity, used + (index % 100 === 0 ? 50_000 : 0) - returned);
    }
    const expected = [...net].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, 10);
    const before = table.requests;

    const top = await world.usage.top(options);

    expect(top.entities.map(({ entity, net: tokens }) => [entity, tokens])).toEqual(expected);
    expect(top).toMatchObject({ entityCount: 10_000, total: [...net.values()].reduce((sum, tokens) => sum + tokens, 0) });
    // A hundred windows to a request, and some for the index.
    expect(table.requests - before).toBeLessThanOrEqual(101 + 16 + 8);
  });

  it('are of that window, resource and limit only', async () => {
    const world = new UsageWorld();
    await world.at('2027-05-10T07:59:59Z').use({ entity: 'before', used: 9 });
    await world.at('2027-05-10T08:10:00Z').use({ entity: 'key-1', used: 3 });
    await world.use({ entity: 'key-1', used: 3, limit: 'tpm' });
    await world.use({ entity: 'key-2', used: 4, resource: 'gpt-3' });
    await world.use({ entity: 'key-3', used: 4, limit: 'tpm' });
    await world.at('2027-05-10T09:00:00Z').use({ entity: 'after', used: 9 });

    expect(await world.usage.top({ ...options, start: new Date('2027-05-10T08:59:00Z') })).toStrictEqual({
      start: new Date(START),
      end: new Date('2027-05-10T09:00:00Z'),
      entities: [
        { entity: 'key-1', used: 3, returned: 0, net: 3 },
        { entity: 'key-3', used: 0, returned: 0, net: 0 },
      ],
      entityCount: 2,
      total: 3,
      limitNames: ['rpm', 'tpm'],
    });
    expect((await world.usage.top({ ...options, type: 'month', count: 1 })).entities).toMatchObject([{ entity: 'after', net: 9 }]);
  });

  it('are told for whatever name they and the resource have', async () => {
    const world = new UsageWorld();
    for (const entity of ['a/b', 'a%2Fb', '🦀', 'é']) await world.use({ entity, resource: 'openai/gpt-4', used: 5 });

    const { entities } = await world.usage.top({ ...options, resource: 'openai/gpt-4' });

    expect(entities.map(({ entity }) => entity)).toEqual(['a%2Fb', 'a/b', 'é', '🦀'].sort());
  });

  it('are none where nobody used it', async () => {
    expect(await new UsageWorld().usage.top(options)).toMatchObject({ entities: [], entityCount: 0, total: 0 });
  });

  it.each<[string, Record<string, unknown>]>([
    ['of no resource', { resource: undefined }],
    ['of a limit whose name cannot be', { limitName: 'r pm' }],
    ['of a type that there is not', { type: 'year' }],
    ['of too many', { count: 1_001 }],
    ['at no moment', { start: 'now' }],
  ])('%s cannot be asked for', async (_, bad) => {
    await expect(new UsageWorld().usage.top({ ...options, ...bad } as TopOptions)).rejects.toMatchObject({ code: 'VALIDATION' });
  });
});
