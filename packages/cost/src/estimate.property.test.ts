import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bill, monthlyBill, perMillion, scaled } from './estimate.js';
import { pricesOf } from './prices.js';
import { type Workload, workloadOf } from './workload.js';

const prices = pricesOf();
const share = fc.double({ min: 0, max: 1, noNaN: true });

/** Any workload that can be, with its own idea of how the configuration is read. */
const workloads = fc
  .record({
    acquiresPerMonth: fc.double({ min: 0, max: 1e10, noNaN: true }),
    limits: fc.integer({ min: 1, max: 10 }),
    depth: fc.integer({ min: 1, max: 9 }),
    cascadeShare: share,
    wrongFormShare: share,
    refusedShare: share,
    refusedLocallyShare: share,
    acquiresPerWrite: fc.double({ min: 1, max: 1e3, noNaN: true }),
    adjustsPerAcquire: fc.double({ min: 0, max: 10, noNaN: true }),
    configMissShare: fc.option(share, { nil: undefined }),
    processes: fc.integer({ min: 1, max: 100 }),
    entities: fc.integer({ min: 1, max: 100_000 }),
    usageWindows: fc.integer({ min: 0, max: 4 }),
    usageBatchRecords: fc.integer({ min: 1, max: 10_000 }),
    usageBatchSec: fc.double({ min: 0, max: 300, noNaN: true }),
    storageGb: fc.double({ min: 0, max: 100, noNaN: true }),
  })
  .map((given) => workloadOf(given));

function usdOfPart(bill: Bill, name: string): number | undefined {
  return bill.parts.find(({ part }) => part === name)?.usd;
}

function withoutIndex({ parts }: Bill, key: 'requests' | 'readUnits' | 'writeUnits' | 'usd'): number {
  return parts.reduce((sum, part) => sum + (part.part === 'usage index' ? 0 : part[key]), 0);
}

function billOf(workload: Workload): Bill {
  return monthlyBill(workload, prices);
}

describe('the bill', () => {
  it('is the sum of its parts, and no part is below zero', () => {
    fc.assert(
      fc.property(workloads, (workload) => {
        const { parts, total } = billOf(workload);
        for (const key of ['requests', 'readUnits', 'writeUnits', 'usd'] as const) {
          expect(total[key]).toBeCloseTo(
            parts.reduce((sum, part) => sum + part[key], 0),
            3,
          );
          for (const part of parts) expect(part[key]).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });

  it('costs what its units cost, where nothing else is billed', () => {
    fc.assert(
      fc.property(workloads, (workload) => {
        const { total } = billOf(workloadOf({ ...workload, usageWindows: 0, storageGb: 0 }));

        expect(total.usd).toBeCloseTo((total.readUnits * 0.125 + total.writeUnits * 0.625) / 1e6, 6);
      }),
    );
  });

  it('grows in proportion to the acquires where the misses are a share, and batches are of one, but for windows, which are begun once', () => {
    fc.assert(
      fc.property(workloads, fc.double({ min: 0.1, max: 10, noNaN: true }), (given, factor) => {
        const workload = workloadOf({ ...given, configMissShare: given.configMissShare ?? 0.02, usageBatchSec: 0, storageGb: 0 });
        const more = billOf(workloadOf({ ...workload, acquiresPerMonth: workload.acquiresPerMonth * factor }));
        const expected = scaled(billOf(workload), factor);

        for (const key of ['requests', 'readUnits', 'writeUnits', 'usd'] as const) {
          const [is, wanted] = [withoutIndex(more, key), withoutIndex(expected, key)];
          expect(Math.abs(is - wanted)).toBeLessThanOrEqual(1e-9 * wanted + 1e-9);
        }
      }),
    );
  });

  it('never has more of the index than of windows, nor than there can be windows in a month', () => {
    fc.assert(
      fc.property(workloads, (workload) => {
        const { parts } = billOf(workload);
        const unitsOf = (name: string): number => parts.find(({ part }) => part === name)?.writeUnits ?? 0;
        const windows = [720, 30, 30 / 7, 1].slice(0, workload.usageWindows).reduce((sum, perMonth) => sum + perMonth, 0);

        expect(unitsOf('usage index')).toBeLessThanOrEqual(unitsOf('usage') * (1 + 1e-9) + 1e-9);
        expect(unitsOf('usage index')).toBeLessThanOrEqual(workload.entities * workload.resources * windows * (1 + 1e-9));
      }),
    );
  });

  it('has nothing for what does not happen', () => {
    fc.assert(
      fc.property(workloads, (workload) => {
        const without = (change: Partial<Workload>, part: string): number | undefined =>
          usdOfPart(billOf(workloadOf({ ...workload, ...change })), part);

        expect(without({ cascadeShare: 0 }, 'cascade')).toBe(0);
        expect(without({ depth: 1 }, 'cascade')).toBe(0);
        expect(without({ wrongFormShare: 0 }, 'wrong forms')).toBe(0);
        expect(without({ refusedShare: 0 }, 'refusals')).toBe(0);
        expect(without({ refusedLocallyShare: 1 }, 'refusals')).toBe(0);
        expect(without({ adjustsPerAcquire: 0 }, 'adjust')).toBe(0);
        expect(without({ configMissShare: 0 }, 'config')).toBe(0);
        expect(without({ usageWindows: 0 }, 'usage')).toBe(0);
        expect(without({ usageWindows: 0 }, 'usage index')).toBe(0);
        expect(without({ usageWindows: 0 }, 'lambda')).toBe(0);
        expect(without({ storageGb: 0 }, 'storage')).toBe(0);
        expect(without({ streamReadsPerMonth: 0 }, 'streams')).toBe(0);
        expect(billOf(workloadOf({ ...workload, acquiresPerMonth: 0, storageGb: 0 })).total.usd).toBe(0);
      }),
    );
  });

  it('never grows where more callers share a write, or more refusals are answered from memory', () => {
    fc.assert(
      fc.property(workloads, (given) => {
        const workload = workloadOf({ ...given, usageWindows: 0 });
        const { total } = billOf(workload);

        expect(billOf(workloadOf({ ...workload, acquiresPerWrite: workload.acquiresPerWrite * 2 })).total.usd).toBeLessThanOrEqual(
          total.usd,
        );
        expect(billOf(workloadOf({ ...workload, refusedLocallyShare: 1 })).total.usd).toBeLessThanOrEqual(total.usd);
      }),
    );
  });

  it('of a million acquires is the month divided by its millions', () => {
    const workload = workloadOf({ acquiresPerMonth: 30_000_000, configMissShare: 0, usageWindows: 0 });
    const month = monthlyBill(workload, prices);

    expect(perMillion(month, workload.acquiresPerMonth).total).toMatchObject({ requests: 1e6, writeUnits: 1e6, readUnits: 0 });
    expect(month.total.usd).toBeCloseTo(18.75, 4);
    expect(perMillion(month, 0).total.usd).toBe(0);
  });
});
