import { type Prices, usdOf } from '../prices.js';
import { MILLION } from '../units.js';
import type { Workload } from '../workload.js';
import {
  billedAsWritten,
  billedSpeculative,
  type PeerUnits,
  peerLoadOf,
  publishedAdjustments,
  publishedAggregator,
  publishedSlow,
  publishedSpeculative,
} from './formulas.js';

/** What the peer would cost for a workload, by one of its formulas or of ours about it. */
export interface PeerBill extends PeerUnits {
  readonly basis: 'published' | 'corrected';
  readonly what: string;
  readonly usd: number;
}

/** A workload's month by the peer's published formulas, and with what is known to be wrong in them put right. */
export function peerBills(workload: Workload, prices: Prices, fallbackShare = 0): readonly PeerBill[] {
  const load = peerLoadOf(workload, fallbackShare);
  const bill = (basis: PeerBill['basis'], what: string, units: PeerUnits): PeerBill => {
    return { basis, what, ...units, usd: usdOf({ requests: 0, ...units }, prices) };
  };
  return [
    bill('published', 'slow path', publishedSlow(load)),
    bill('published', 'speculative', publishedSpeculative(load)),
    bill('published', 'its adjustments, on top', publishedAdjustments(load)),
    bill('published', 'its aggregator, on top', publishedAggregator(load)),
    bill('corrected', 'speculative, refused conditions billed', billedSpeculative(load)),
    bill('corrected', 'as its code reads: index, item size and aggregator too', billedAsWritten(load)),
  ];
}

/** A month as the peer's guide computes it. */
export interface PeerMonth {
  readonly writesUsd: number;
  readonly readsUsd: number;
  readonly streamsUsd: number;
  readonly lambdaUsd: number;
  readonly usd: number;
}

/**
 * The guide's monthly examples: for each acquire a write, a read, a read of the stream and an invocation of Lambda. The
 * duration of Lambda, and what it writes, are left out; what Lambda reads of a stream is in fact free.
 */
export function publishedMonth(acquires: number, prices: Prices): PeerMonth {
  const writesUsd = usdOf({ requests: 0, readUnits: 0, writeUnits: acquires }, prices);
  const readsUsd = usdOf({ requests: 0, readUnits: acquires, writeUnits: 0 }, prices);
  const streamsUsd = (acquires * prices.usdPerMillionStreamReads) / MILLION;
  const lambdaUsd = (acquires * prices.usdPerMillionInvocations) / MILLION;
  return { writesUsd, readsUsd, streamsUsd, lambdaUsd, usd: writesUsd + readsUsd + streamsUsd + lambdaUsd };
}
