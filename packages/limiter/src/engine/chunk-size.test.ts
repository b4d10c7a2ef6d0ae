import { type BucketState, Limit, timingOf } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { Chunk } from './chunk.js';
import { chunkDebits, hasPlenty } from './chunk-size.js';
import { Demand } from './demand.js';
import { levelFor } from './level.js';
import { Stock } from './stock.js';

const NOW_US = 1_800_000_000_000_000;
const [rpm, tpm] = [Limit.perMinute('rpm', 600), Limit.perMinute('tpm', 60_000)];
const SETTINGS = { lifetimeMs: 1_000, maxTokens: 1_000_000 };
const ref = { namespaceId: 'ns', entity: 'key', resource: 'model', shard: 0 };
const levelOf = (amounts: Readonly<Record<string, number>>) =>
  levelFor({ ref, bucket: 'key/model', stored: undefined, limits: [rpm, tpm], configVersion: 1, mode: 'enforce', waitUs: 0 }, amounts);

/** A bucket of which so much is left. */
function stateWith(left: { readonly rpm: number; readonly tpm: number }): BucketState {
  const tatOf = (limit: Limit, tokens: number) =>
    NOW_US + timingOf(limit).busyToleranceUs - (tokens * limit.periodMs * 1000) / limit.refill;
  const limits = new Map(
    [rpm, tpm].map((limit) => [limit.name, { tatUs: tatOf(limit, left[limit.name as 'rpm']), used: 0n, returned: 0n }]),
  );
  return { limits, seq: 1, configVersion: 1, ttlSec: 0 };
}

/** What is taken ahead after `acquires` within a moment. */
function sizeOf(
  acquires: number,
  left: { readonly rpm: number; readonly tpm: number },
  change: Partial<typeof SETTINGS> = {},
  stock = new Stock(),
) {
  const demand = new Demand(1_000);
  for (let index = 0; index < acquires; index += 1) demand.add(levelOf({ rpm: 1, tpm: 100 }).debits, NOW_US / 1000);
  const outlook = { demand, stock, state: stateWith(left), asked: new Map(), nowUs: NOW_US };
  return chunkDebits({ ...SETTINGS, ...change }, levelOf({}), outlook).map(({ limit, tokens }) => [limit.name, tokens]);
}

describe('a chunk is made for', () => {
  it('half of what is asked in its lifetime, of all limits alike', () => {
    expect(sizeOf(20, { rpm: 588, tpm: 58_000 })).toEqual([
      ['rpm', 10],
      ['tpm', 1_000],
    ]);
  });

  it('less as the bucket empties, as its scarcest limit says', () => {
    expect(sizeOf(20, { rpm: 588, tpm: 5_000 })).toEqual([
      ['rpm', 5],
      ['tpm', 500],
    ]);
    expect(sizeOf(20, { rpm: 588, tpm: 1_999 })).toEqual([]);
    expect(sizeOf(20, { rpm: -5, tpm: 58_000 })).toEqual([]);
  });

  it('nobody where few come', () => {
    expect(sizeOf(3, { rpm: 588, tpm: 58_000 })).toEqual([]);
  });

  it('no more than is allowed', () => {
    expect(sizeOf(20, { rpm: 588, tpm: 58_000 }, { maxTokens: 300 })).toEqual([
      ['rpm', 3],
      ['tpm', 300],
    ]);
  });

  it('what is not held yet', () => {
    const stock = new Stock();
    stock.add(new Chunk(levelOf({ rpm: 4 }), 0));

    expect(sizeOf(20, { rpm: 588, tpm: 58_000 }, {}, stock)).toEqual([
      ['rpm', 6],
      ['tpm', 1_000],
    ]);
  });
});

describe('a bucket has plenty', () => {
  it.each([
    [300, 30_000, true],
    [299, 58_000, false],
    [588, 29_999, false],
  ])('with %i of 600 and %i of 60,000 left: %s', (left, other, expected) => {
    expect(hasPlenty(levelOf({ rpm: 1 }), stateWith({ rpm: left, tpm: other }), NOW_US)).toBe(expected);
  });
});

describe('demand', () => {
  it('is forgotten with time', () => {
    const demand = new Demand(1_000);
    for (let index = 0; index < 10; index += 1) demand.add(levelOf({ rpm: 3 }).debits, 0);

    expect([demand.acquiresIn(500, 0), demand.meanOf('rpm'), demand.meanOf('tpm')]).toEqual([5, 3, 0]);
    expect(demand.acquiresIn(500, 1_000)).toBeCloseTo(5 / Math.E);
    expect(demand.acquiresIn(500, 60_000)).toBeCloseTo(0);
  });
});
