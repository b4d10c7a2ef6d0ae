import { Limit, RateLimiter } from '@millrace/limiter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EngineTable, launchTable } from './engine-table.js';

const CAPACITY = 50;
const limits = [Limit.perMinute('rpm', CAPACITY)];

/** Names that look as if they should be refused, or mixed up with another. */
const NAMES = [
  'a',
  'A',
  'a/b',
  'a%2Fb',
  'a%252Fb',
  '/',
  '%',
  '#',
  'a#b',
  '__proto__',
  'constructor',
  ' ',
  "'; DROP TABLE",
  '{"$ne":1}',
  '\u00e9',
  'e\u0301',
  '🦀',
  '👩‍👩‍👧',
  '日本語',
  'x'.repeat(256),
  `${'x'.repeat(255)}y`,
  '🦀'.repeat(64),
  '/'.repeat(256),
];

let table: EngineTable;
let limiter: RateLimiter;
beforeAll(async () => {
  table = await launchTable();
  limiter = await RateLimiter.open({
    ...table.connection,
    table: table.table,
    clock: { nowMs: () => 1_800_000_000_000 },
    requestTimeoutMs: 30_000,
  });
});
afterAll(async () => {
  await limiter.close();
  await table.close();
});

async function left(entity: string, resource: string): Promise<number | undefined> {
  return (await limiter.available(entity, resource, { limits }))['rpm'];
}

describe('names that are accepted', () => {
  it('keep the buckets of entities apart', async () => {
    for (const [index, name] of NAMES.entries()) await limiter.acquire(name, 'by-entity', { rpm: index + 1 }, { limits });

    for (const [index, name] of NAMES.entries()) expect(await left(name, 'by-entity')).toBe(CAPACITY - index - 1);
  });

  it('keep the buckets of resources apart', async () => {
    for (const [index, name] of NAMES.entries()) await limiter.acquire('by-resource', name, { rpm: index + 1 }, { limits });

    for (const [index, name] of NAMES.entries()) expect(await left('by-resource', name)).toBe(CAPACITY - index - 1);
  });

  it('keep a border between entity and resource', async () => {
    await limiter.acquire('p/q', 'r', { rpm: 1 }, { limits });
    await limiter.acquire('p', 'q/r', { rpm: 2 }, { limits });

    expect([await left('p/q', 'r'), await left('p', 'q/r'), await left('p', 'q')]).toEqual([CAPACITY - 1, CAPACITY - 2, CAPACITY]);
  });

  it('come back as they were given from entities and their children', async () => {
    await limiter.entities.create('everybody');
    for (const name of NAMES) await limiter.entities.create(name, { parent: 'everybody' });

    const { ids } = await limiter.entities.children('everybody', { pageSize: 1_000 });

    expect([...ids].sort()).toEqual([...NAMES].sort());
    for (const name of NAMES) expect(await limiter.entities.get(name)).toMatchObject({ id: name, ancestors: ['everybody'] });
  });

  it('are told in a refusal', async () => {
    const error = await limiter
      .acquire('🦀/#%', 'a/b', { rpm: CAPACITY }, { limits })
      .then(() => limiter.acquire('🦀/#%', 'a/b', { rpm: 1 }, { limits }).catch((reason: unknown) => reason));

    expect(error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', message: expect.stringContaining('🦀/#% on a/b') });
  });

  it.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    'may be a limit that is named as a property of every object: %s',
    async (name) => {
      const both = [Limit.perMinute('rpm', CAPACITY), Limit.perMinute(name, CAPACITY)];

      const lease = await limiter.acquire('inherited', name, { rpm: 1 }, { limits: both });
      await lease.adjust({ [name]: 2 });

      expect(lease.consumed).toEqual({ rpm: 1, [name]: 2 });
      expect(await limiter.available('inherited', name, { limits: both })).toEqual({ rpm: CAPACITY - 1, [name]: CAPACITY - 2 });
    },
  );
});
