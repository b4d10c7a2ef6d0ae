import { describe, expect, it } from 'vitest';
import { modeCosts } from '../capacity-modes.js';
import { pricesOf } from '../prices.js';
import { SCENARIOS } from '../scenarios.js';
import { workloadOf } from '../workload.js';
import { peerBills, publishedMonth } from './bills.js';
import {
  billedSpeculative,
  type PeerLoad,
  publishedAdjustments,
  publishedAggregator,
  publishedSlow,
  publishedSpeculative,
} from './formulas.js';
import { PEER_PATHS, pathUsdPerMillion } from './paths.js';

const prices = pricesOf();
const hour: PeerLoad = {
  acquires: 10_000,
  cascadeShare: 0,
  missShare: 0,
  fallbackShare: 0,
  refusedShare: 0,
  adjustsPerAcquire: 0,
  limits: 2,
  windows: 2,
};
const hierarchical = { ...hour, cascadeShare: 0.5, missShare: 0.02 };
const cents = (usd: number): number => Math.round(usd * 100) / 100;

describe("the peer's published formulas", () => {
  it('give its scenarios to the digit', () => {
    expect(publishedSlow(hour)).toEqual({ readUnits: 10_000, writeUnits: 10_000 });
    expect(publishedSlow(hierarchical)).toEqual({ readUnits: 15_600, writeUnits: 25_000 });
    expect(publishedSpeculative(hour)).toEqual({ readUnits: 0, writeUnits: 10_000 });
    expect(publishedSpeculative(hierarchical)).toEqual({ readUnits: 3_100, writeUnits: 15_000 });
    expect(publishedAggregator(hour)).toEqual({ readUnits: 0, writeUnits: 20_000 });
    expect(publishedAdjustments({ ...hierarchical, adjustsPerAcquire: 1 })).toEqual({ readUnits: 0, writeUnits: 15_000 });
  });

  it('give its monthly examples to the cent, and the larger as rounded as it is', () => {
    const [small, large] = [publishedMonth(300_000, prices), publishedMonth(30_000_000, prices)];

    expect([small.writesUsd, small.readsUsd, small.streamsUsd, small.lambdaUsd, small.usd].map(cents)).toEqual([
      0.19, 0.04, 0.06, 0.06, 0.35,
    ]);
    expect([large.writesUsd, large.readsUsd, large.streamsUsd, large.lambdaUsd].map(cents)).toEqual([18.75, 3.75, 6, 6]);
    expect(Math.round(large.usd)).toBe(35);
  });

  it('give its provisioned month, about $22, at the target of 70 %', () => {
    const month = publishedMonth(30_000_000, prices);
    const provisioned = modeCosts({ requests: 0, readUnits: 30_000_000, writeUnits: 30_000_000 }, prices, 0.7)[1];

    expect(Math.round((provisioned?.usd ?? 0) + month.streamsUsd + month.lambdaUsd)).toBe(22);
  });

  it('give its prices by the million, but for those that its own units contradict', () => {
    const wrong = PEER_PATHS.filter(({ published }) => Math.abs(pathUsdPerMillion(published, prices) - published.usdPerMillion) > 1e-9);

    expect(wrong.map(({ path }) => path)).toEqual(['cascade, normal', 'cascade, fallback']);
    expect(wrong.map(({ published }) => pathUsdPerMillion(published, prices))).toEqual([2.75, 1.9375]);
    for (const { correction } of wrong) expect(correction).toBeDefined();
  });
});

describe('what is known to be wrong in them', () => {
  it('is that a refused condition is billed: a storm of rejections costs what the acquires would', () => {
    const storm = { ...hour, refusedShare: 0.9 };

    expect(publishedSpeculative(storm).writeUnits).toBe(billedSpeculative(hour).writeUnits);
    expect(billedSpeculative(storm).writeUnits).toBeCloseTo(10_000);
    expect(billedSpeculative({ ...storm, refusedShare: 1, cascadeShare: 1 }).writeUnits).toBe(30_000);
    expect(billedSpeculative({ ...hour, fallbackShare: 0.1 }).writeUnits).toBeCloseTo(11_000);
  });

  it('is that of a million rejections each is a write', () => {
    const billed = PEER_PATHS.map(({ path, published, billed: corrected }) => [path, pathUsdPerMillion(corrected ?? published, prices)]);

    expect(Object.fromEntries(billed)).toMatchObject({ 'fast rejection': 0.625, 'cascade, rejection': 1.875 });
  });

  it('is ten writes for an acquire of two limits, as its code reads', () => {
    const bills = peerBills(workloadOf({ acquiresPerMonth: 1_000_000, configMissShare: 0 }), prices);

    expect(bills.at(-1)).toMatchObject({ basis: 'corrected', writeUnits: 10_000_000, usd: 6.25 });
  });

  it('shows beside the published bill of each scenario', () => {
    for (const { workload } of SCENARIOS) {
      const bases = peerBills(workload, prices).map(({ basis }) => basis);
      expect(bases).toEqual(['published', 'published', 'published', 'published', 'corrected', 'corrected']);
    }
  });
});
