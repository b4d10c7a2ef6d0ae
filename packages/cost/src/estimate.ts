import { bucketWrites } from './bucket-writes.js';
import { configReads } from './config-reads.js';
import { ledgerWork } from './ledger.js';
import { type Prices, usdOf } from './prices.js';
import { MILLION, NO_UNITS, sumOf, times, type Units } from './units.js';
import type { Workload } from './workload.js';

/** What a part of the bill is for. The first six are requests of services, the others are what follows from them. */
export type PartName =
  | 'acquire'
  | 'cascade'
  | 'wrong forms'
  | 'refusals'
  | 'adjust'
  | 'config'
  | 'usage'
  | 'usage index'
  | 'streams'
  | 'lambda'
  | 'storage'
  | 'recovery';

/** One part of the bill. */
export interface CostPart extends Units {
  readonly part: PartName;
  readonly usd: number;
}

/** A bill over some time, or over so many acquires: its parts, and their sum. */
export interface Bill {
  readonly parts: readonly CostPart[];
  readonly total: Units & { readonly usd: number };
}

/** The parts that a service causes by itself, and that can be counted where it runs. */
const CALLER_PARTS: ReadonlySet<PartName> = new Set(['acquire', 'cascade', 'wrong forms', 'refusals', 'adjust', 'config']);

/** The bill of a workload for a month of 30 days, on demand. The formulas stand where the parts are computed. */
export function monthlyBill(workload: Workload, prices: Prices): Bill {
  const writes = bucketWrites(workload);
  const ledger = ledgerWork(workload, writes.landed);
  const ofUnits = (part: PartName, units: Units): CostPart => ({ part, ...units, usd: usdOf(units, prices) });
  const ofUsd = (part: PartName, requests: number, usd: number): CostPart => ({ part, ...NO_UNITS, requests, usd });
  const storageGb = workload.storageGb ?? (workload.entities * workload.resources * 1_024) / 1e9;
  const { streamReadsPerMonth: streamReads } = workload;
  return billOf([
    ofUnits('acquire', writes.acquire),
    ofUnits('cascade', writes.cascade),
    ofUnits('wrong forms', writes.wrongForms),
    ofUnits('refusals', writes.refusals),
    ofUnits('adjust', writes.adjust),
    ofUnits('config', configReads(workload)),
    ofUnits('usage', ledger.writes),
    ofUnits('usage index', ledger.indexWrites),
    ofUsd('streams', streamReads, (streamReads * prices.usdPerMillionStreamReads) / MILLION),
    ofUsd(
      'lambda',
      ledger.invocations,
      (ledger.invocations * prices.usdPerMillionInvocations) / MILLION + ledger.gbSeconds * prices.usdPerGbSecond,
    ),
    ofUsd('storage', 0, storageGb * prices.usdPerGbMonth),
    ofUsd('recovery', 0, storageGb * prices.usdPerRecoveryGbMonth),
  ]);
}

/** The same bill for another number of acquires, or another time: everything in it is in proportion. */
export function scaled(bill: Bill, factor: number): Bill {
  return billOf(bill.parts.map(({ part, usd, ...units }) => ({ part, ...times(units, factor), usd: usd * factor })));
}

/** The bill of a million acquires of a workload that makes `acquires` of them; nothing where it makes none. */
export function perMillion(bill: Bill, acquires: number): Bill {
  return scaled(bill, acquires === 0 ? 0 : MILLION / acquires);
}

/** What the service causes by itself, without what follows from it. */
export function callerUnits(bill: Bill): Units {
  return sumOf(bill.parts.filter(({ part }) => CALLER_PARTS.has(part)));
}

function billOf(parts: readonly CostPart[]): Bill {
  return { parts, total: { ...sumOf(parts), usd: parts.reduce((sum, { usd }) => sum + usd, 0) } };
}
