import {
  type BreakEven,
  breakEven,
  type CacheRow,
  cacheTable,
  type ModeCost,
  modeCosts,
  monthlyBill,
  type PeerBill,
  type PeerMonth,
  type Prices,
  peerBills,
  publishedMonth,
  type Scenario,
  scaled,
  type Units,
  usdOf,
} from '@millrace/cost';
import type { OperationCount } from './operations.js';
import type { ScenarioCount } from './scenario-run.js';

/** By how much a count may differ from the estimate. */
const TOLERANCE = 0.02;
/** What provisioned capacity is used to, at best. */
const TARGET_UTILISATION = 0.7;

/** A scenario's bill: estimated, counted, and as the peer publishes it. */
export interface ScenarioReport extends ScenarioCount {
  readonly scenario: Scenario['name'];
  readonly does: string;
  readonly isWithin: boolean;
  /** Dollars a month: what services cause, by the formulas and by the count. */
  readonly callerUsd: { readonly estimated: number; readonly counted: number };
  /** Dollars a month by the formulas: what follows from it, which is not counted: ledger, Lambda, storage, recovery. */
  readonly followingUsd: number;
  readonly modes: readonly ModeCost[];
  readonly peer: readonly PeerBill[];
  readonly peerMonth: PeerMonth;
}

/** All that the bench found. */
export interface CostReport {
  readonly engine: string;
  readonly seed: number;
  readonly operations: readonly OperationCount[];
  readonly scenarios: readonly ScenarioReport[];
  readonly cache: readonly (CacheRow & { readonly counted: { readonly hitRate: number; readonly readsPerAsk: number } })[];
  readonly breakEven: BreakEven;
}

/** Puts a scenario's count beside its bills. */
export function scenarioReport({ name, does, workload }: Scenario, count: ScenarioCount, prices: Prices): ScenarioReport {
  const bill = monthlyBill(workload, prices);
  const perMonth = workload.acquiresPerMonth / count.acquires;
  const estimatedUsd = usdOf(count.estimated, prices) * perMonth;
  return {
    scenario: name,
    does,
    ...count,
    isWithin: count.deviation <= TOLERANCE,
    callerUsd: { estimated: estimatedUsd, counted: usdOf(count.counted, prices) * perMonth },
    followingUsd: scaled(bill, 1).total.usd - estimatedUsd,
    modes: modeCosts(bill.total, prices, TARGET_UTILISATION),
    peer: peerBills(workload, prices),
    peerMonth: publishedMonth(workload.acquiresPerMonth, prices),
  };
}

/** What stands in a report beside the counts. */
export function constantsOf(prices: Prices): { readonly breakEven: BreakEven; readonly cacheRows: readonly CacheRow[] } {
  return { breakEven: breakEven(prices, TARGET_UTILISATION), cacheRows: cacheTable(60) };
}

/** Units of some acquires as those of an hour of the scenario. */
export function hourly(units: Units, acquires: number, acquiresPerHour: number): Units {
  const factor = acquiresPerHour / acquires;
  return { requests: units.requests * factor, readUnits: units.readUnits * factor, writeUnits: units.writeUnits * factor };
}
