import { describe, expect, it } from 'vitest';
import { bucketBytes, unitsPerWrite } from './bucket-size.js';
import { breakEven, modeCosts } from './capacity-modes.js';
import { cacheFigures, cacheTable } from './config-cache.js';
import { monthlyBill } from './estimate.js';
import { pricesOf } from './prices.js';
import { SCENARIOS } from './scenarios.js';
import { workloadOf } from './workload.js';

const prices = pricesOf();
const base = { acquiresPerMonth: 1_000_000, configMissShare: 0, usageWindows: 0, storageGb: 0 };

function partOf(given: Parameters<typeof workloadOf>[0], name: string) {
  return monthlyBill(workloadOf({ ...base, ...given }), prices).parts.find(({ part }) => part === name);
}

describe('what an acquire costs', () => {
  it('is one write for each level, and two for each ancestor of one that is refused', () => {
    expect(partOf({}, 'acquire')).toMatchObject({ requests: 1e6, writeUnits: 1e6, readUnits: 0, usd: 0.625 });
    expect(partOf({ cascadeShare: 1, depth: 4 }, 'cascade')).toMatchObject({ requests: 3e6, writeUnits: 3e6 });
    expect(partOf({ refusedShare: 1, cascadeShare: 1, depth: 3 }, 'refusals')).toMatchObject({ writeUnits: 5e6 });
    expect(partOf({ wrongFormShare: 0.1, cascadeShare: 1 }, 'wrong forms')?.writeUnits).toBeCloseTo(0.2e6);
    expect(partOf({ adjustsPerAcquire: 2, cascadeShare: 0.5 }, 'adjust')).toMatchObject({ writeUnits: 3e6 });
    expect(partOf({ acquiresPerWrite: 10 }, 'acquire')).toMatchObject({ writeUnits: 1e5 });
  });

  it('is one unit for ten limits of short names, and two where the item is larger than a kilobyte', () => {
    expect(unitsPerWrite({ limits: 10, limitNameBytes: 6, keyNameBytes: 24 })).toBe(1);
    expect(bucketBytes({ limits: 10, limitNameBytes: 32, keyNameBytes: 24 })).toBeGreaterThan(1_024);
    expect(partOf({ limits: 10, limitNameBytes: 32 }, 'acquire')).toMatchObject({ requests: 1e6, writeUnits: 2e6 });
  });

  it('reads five items on a miss, half a unit each, and three more for each ancestor, in one request more', () => {
    expect(partOf({ configMissShare: 1 }, 'config')).toMatchObject({ requests: 1e6, readUnits: 2.5e6 });
    expect(partOf({ configMissShare: 1, cascadeShare: 1, depth: 4 }, 'config')).toMatchObject({ requests: 2e6, readUnits: 7e6 });
  });
});

describe('the cache of the configuration', () => {
  it('reads each item once in 0.85 of its life and the wait for the next caller', () => {
    expect(cacheFigures(1, 60).readsPerAsk).toBeCloseTo(1 / 52, 10);
    expect(cacheFigures(0, 60)).toEqual({ hitRate: 0, readsPerAsk: 1 });
    expect(cacheFigures(5, 0)).toEqual({ hitRate: 0, readsPerAsk: 1 });
  });

  it('lets hardly anybody wait, as it reads ahead', () => {
    expect(cacheFigures(1, 60).hitRate).toBeGreaterThan(0.9999);
    expect(cacheFigures(10, 60).hitRate).toBeGreaterThan(0.999999);
  });

  it('has the published figures of the peer beside it', () => {
    const published = cacheTable(60).map(({ ratePerSec, published: { hitRate, readsPerAsk } }) => ({
      ratePerSec,
      hitRate: Math.floor(hitRate * 1e4) / 100,
      readsPerAsk: Number(readsPerAsk.toPrecision(3)),
    }));

    expect(published).toEqual([
      { ratePerSec: 1, hitRate: 98.33, readsPerAsk: 0.05 },
      { ratePerSec: 10, hitRate: 99.83, readsPerAsk: 0.005 },
      { ratePerSec: 100, hitRate: 99.98, readsPerAsk: 0.0005 },
    ]);
  });
});

describe('the usage ledger', () => {
  const ledger = { usageWindows: 2, entities: 100, acquiresPerMonth: 30_000_000 };

  it('writes once for each bucket, window and batch', () => {
    // A batch of one record is one bucket.
    expect(partOf({ ...ledger, usageBatchSec: 0 }, 'usage')).toMatchObject({ writeUnits: 60_000_000 });
    expect(partOf({ ...ledger, usageBatchSec: 0 }, 'lambda')?.requests).toBe(30_000_000);
    // Full batches of a hundred records of one bucket.
    expect(partOf({ ...ledger, entities: 1, usageBatchSec: 300 }, 'usage')?.writeUnits).toBeCloseTo(600_000, 0);
    // A hundred records of a hundred buckets name 63.4 of them.
    expect(partOf({ ...ledger, usageBatchSec: 300 }, 'usage')?.writeUnits).toBeCloseTo(300_000 * 2 * 100 * (1 - 0.99 ** 100), 0);
  });
});

describe('the index of windows', () => {
  const busy = { entities: 100, acquiresPerMonth: 30_000_000 };

  it('takes a unit for each window that is begun, and none for what is written to it later', () => {
    // All hundred are busy in every window: hours, days, weeks and the month.
    for (const [usageWindows, windows] of [
      [1, 720],
      [2, 750],
      [3, 750 + 30 / 7],
      [4, 751 + 30 / 7],
    ] as const) {
      expect(partOf({ ...busy, usageWindows }, 'usage index')?.writeUnits).toBeCloseTo(100 * windows, 6);
    }
    expect(partOf({ ...busy, usageWindows: 2 }, 'usage index')).toMatchObject({ requests: 0, readUnits: 0 });
  });

  it('takes hardly less than windows do where each is written to once', () => {
    // A million buckets, each used once or so: nearly every record begins a window of each type.
    const rare = { entities: 1_000_000, acquiresPerMonth: 10_000, usageWindows: 2, usageBatchSec: 0 };

    expect(partOf(rare, 'usage')).toMatchObject({ writeUnits: 20_000 });
    expect(partOf(rare, 'usage index')?.writeUnits).toBeGreaterThan(19_990);
    expect(partOf(rare, 'usage index')?.writeUnits).toBeLessThan(20_000);
  });
});

describe('capacity modes', () => {
  it('break even at the utilisation where an hour costs what its units would', () => {
    const { writeUtilisation, readUtilisation, reservedFromWrites } = breakEven(prices, 0.7);

    expect(writeUtilisation).toBeCloseTo(0.2889, 4);
    expect(readUtilisation).toBeCloseTo(0.2889, 4);
    expect(reservedFromWrites.thanOnDemand / 1e6).toBeCloseTo(34.5, 1);
    expect(reservedFromWrites.thanProvisioned / 1e6).toBeCloseTo(83.5, 1);
  });

  it('provision whole units at the target, at least one, and reserve whole hundreds', () => {
    const costs = modeCosts({ requests: 0, readUnits: 0, writeUnits: 30_000_000 }, prices, 0.7);

    expect(costs).toMatchObject([
      { mode: 'on demand' },
      { mode: 'provisioned', readUnitsPerSec: 1, writeUnitsPerSec: 17 },
      { mode: 'reserved 1 year', readUnitsPerSec: 100, writeUnitsPerSec: 100 },
      { mode: 'reserved 3 years', readUnitsPerSec: 100, writeUnitsPerSec: 100 },
    ]);
    expect(costs[0]?.usd).toBeCloseTo(18.75);
    expect(costs[1]?.usd).toBeCloseTo((17 * 0.00065 + 0.00013) * 720, 6);
  });
});

describe('bad input', () => {
  it('is refused with the name, the bound and the value', () => {
    expect(() => workloadOf({ cascadeShare: 1.5 })).toThrow('cascadeShare must be a number from 0 to 1, got 1.5');
    expect(() => workloadOf({ depth: 2.5 })).toThrow('depth must be a whole number from 1 to 9, got 2.5');
    expect(() => workloadOf({ acquires: 5 } as never)).toThrow('workload key must be one of acquiresPerMonth, limits');
    expect(() => pricesOf('us-east-1', { usdPerMillionWriteUnits: -1 })).toThrow('price "usdPerMillionWriteUnits" must be dollars');
    expect(() => pricesOf('us-east-1', { usdPerMillionWrites: 1 })).toThrow('prices key must be one of usdPerMillionWriteUnits');
    expect(() => pricesOf('eu-west-1')).toThrow(
      'region must be one of us-east-1, us-east-2, us-west-2, or given with all its prices, got "eu-west-1"',
    );
    expect(() => pricesOf('eu-west-1', { ...prices, usdPerGbMonth: undefined })).toThrow(
      'price "usdPerGbMonth" must be dollars, 0 or more',
    );
  });

  it('is no region whose prices are all given, and any region whose prices are built in and partly given', () => {
    expect(pricesOf('mars-1', { ...prices })).toEqual(prices);
    expect(pricesOf('us-west-2', { usdPerGbMonth: 1 })).toEqual({ ...prices, usdPerGbMonth: 1 });
  });
});

describe('the scenarios', () => {
  it('are workloads that can be', () => {
    expect(SCENARIOS.map(({ name }) => name)).toEqual(['simple', 'hierarchical', '10k-day', '1m-day', 'mixed']);
    for (const { workload } of SCENARIOS) expect(monthlyBill(workload, prices).total.usd).toBeGreaterThan(0);
  });
});
