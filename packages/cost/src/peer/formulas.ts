import { SECONDS_PER_MONTH } from '../units.js';
import type { Workload } from '../workload.js';

/** What the peer's formulas ask for: acquires over any time, and shares of them. */
export interface PeerLoad {
  readonly acquires: number;
  readonly cascadeShare: number;
  readonly missShare: number;
  /** Of the acquires, those whose speculative write is refused although there are tokens, so that the slow path follows. */
  readonly fallbackShare: number;
  readonly refusedShare: number;
  readonly adjustsPerAcquire: number;
  readonly limits: number;
  readonly windows: number;
}

/** Units, without requests: the guide counts none. */
export interface PeerUnits {
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** What a miss of the peer's config cache reads. */
const READS_PER_MISS = 3;
/** From so many limits on the peer's bucket is larger than a kilobyte, as was computed from its item. */
const LIMITS_BEYOND_A_UNIT = 10;

/** The published formula without the speculative write: requests × (1 + cascade + misses × 3), requests × (1 + cascade × 3). */
export function publishedSlow({ acquires, cascadeShare, missShare }: PeerLoad): PeerUnits {
  return { readUnits: acquires * (1 + cascadeShare + missShare * READS_PER_MISS), writeUnits: acquires * (1 + cascadeShare * 3) };
}

/** The published formula with it: requests × (fallbacks + cascade × ½ + misses × 3), requests × (1 + cascade). */
export function publishedSpeculative({ acquires, cascadeShare, missShare, fallbackShare }: PeerLoad): PeerUnits {
  return {
    readUnits: acquires * (fallbackShare + cascadeShare * 0.5 + missShare * READS_PER_MISS),
    writeUnits: acquires * (1 + cascadeShare),
  };
}

/** What the guide adds for the aggregator: two writes to a request, for two windows. */
export function publishedAggregator({ acquires, windows }: PeerLoad): PeerUnits {
  return { readUnits: 0, writeUnits: acquires * windows };
}

/** What its table of operations says of adjustments: a write for each entity. Its formulas leave them out. */
export function publishedAdjustments({ acquires, cascadeShare, adjustsPerAcquire }: PeerLoad): PeerUnits {
  return { readUnits: 0, writeUnits: acquires * adjustsPerAcquire * (1 + cascadeShare) };
}

/**
 * The speculative formula with refused conditions billed. A fallback is the refused write and another one. A rejection is
 * the refused write, and with a cascade three: the child's, the parent's refused one, and what gives the child's back.
 * What is admitted is adjusted.
 */
export function billedSpeculative(load: PeerLoad): PeerUnits {
  const { acquires, cascadeShare, fallbackShare, refusedShare } = load;
  const admitted = (1 - refusedShare) * ((1 + cascadeShare) * (1 + load.adjustsPerAcquire) + fallbackShare);
  const rejected = refusedShare * (1 + 2 * cascadeShare);
  return { readUnits: publishedSpeculative(load).readUnits, writeUnits: acquires * (admitted + rejected) };
}

/**
 * The same as the peer's code reads, with its aggregator, by an analysis of its source and not by a measurement: every write
 * of a bucket that lands also writes an index that projects all attributes; the bucket is two units from ten limits on; the
 * aggregator makes one write, and one of the index, for each limit, window and record.
 */
export function billedAsWritten(load: PeerLoad): PeerUnits {
  const { acquires, cascadeShare, fallbackShare, refusedShare, limits, windows } = load;
  const size = limits >= LIMITS_BEYOND_A_UNIT ? 2 : 1;
  const records = acquires * (1 - refusedShare) * (1 + cascadeShare) * (1 + load.adjustsPerAcquire);
  const landed = records + acquires * refusedShare * 2 * cascadeShare;
  const refusedWrites = acquires * (refusedShare + (1 - refusedShare) * fallbackShare);
  return {
    readUnits: publishedSpeculative(load).readUnits,
    writeUnits: (landed * 2 + refusedWrites) * size + records * limits * windows * 2,
  };
}

/** A workload of ours as the peer's formulas see it. Its cache misses once in each life of an entry, and reads nothing ahead. */
export function peerLoadOf(workload: Workload, fallbackShare: number): PeerLoad {
  const askedPerSec = workload.acquiresPerMonth / SECONDS_PER_MONTH / workload.processes / workload.entities;
  const asksPerLife = askedPerSec * workload.configTtlSec;
  return {
    acquires: workload.acquiresPerMonth,
    cascadeShare: workload.cascadeShare,
    missShare: workload.configMissShare ?? (asksPerLife > 1 ? 1 / asksPerLife : 1),
    fallbackShare,
    refusedShare: workload.refusedShare,
    adjustsPerAcquire: workload.adjustsPerAcquire,
    limits: workload.limits,
    windows: workload.usageWindows,
  };
}
