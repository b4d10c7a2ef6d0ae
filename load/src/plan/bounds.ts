import type { Limit } from '@millrace/core';
import { ERRORS_RATE, REFUSED_RATE, tokenCounter } from './series.js';
import type { RunSettings } from './settings.js';
import { GRACE_MS } from './shapes.js';
import type { Threshold } from './thresholds.js';

/** Longer than any worker takes from its first write to the moment at which its first turn is planned. */
const START_MS = 5_000;

/** The most tokens that one bucket admits in so long a time: capacity and what flows, of which the last token may be whole. */
export function mostAdmitted({ capacity, refill, periodMs }: Limit, windowMs: number): number {
  return capacity + Math.ceil((refill * windowMs) / periodMs);
}

/** How long the first and the last acquire of a run are apart at most. The check of the table knows it to the millisecond. */
function longestWindowMs(durationMs: number): number {
  return durationMs + GRACE_MS + START_MS;
}

/** No more tokens of a name taken than one bucket of each of these limits admits while the run can last. */
export function neverAbove(limits: readonly Limit[], { durationMs }: Pick<RunSettings, 'durationMs'>): Threshold {
  const value = limits.reduce((sum, limit) => sum + mostAdmitted(limit, longestWindowMs(durationMs)), 0);
  return { metric: tokenCounter('taken', limits[0]?.name ?? ''), stat: 'count', op: '<=', value };
}

/**
 * At least a share of what one bucket gives while turns are made: whoever refuses too much gives less. It is asked only of
 * an open model that wants at least half as much again as there is, one token with each call.
 */
export function atLeast(limit: Limit, settings: Demand, share: number): readonly Threshold[] {
  const { perSecond = 0, callers, durationMs } = settings;
  const given = limit.capacity + (limit.refill * durationMs) / limit.periodMs;
  const asked = (perSecond * callers * durationMs) / 1_000;
  if (asked < ENOUGH * given) return [];
  return [{ metric: tokenCounter('taken', limit.name), stat: 'count', op: '>=', value: Math.floor(share * given) }];
}

type Demand = Pick<RunSettings, 'perSecond' | 'callers' | 'durationMs'>;

const ENOUGH = 1.5;

/** How slow acquires may be, unless the command says so. */
export function acquireWithin({ acquireP95Ms }: RunSettings, p95Ms: number): Threshold {
  return { metric: 'acquire', stat: 'p95', op: '<', value: acquireP95Ms ?? p95Ms };
}

/** Nobody is refused. */
export const NOBODY_REFUSED: Threshold = { metric: REFUSED_RATE, stat: 'rate', op: '==', value: 0 };

/** Nearly all turns of an open model were made when they were due: where users are too few, the limiter is too slow for them. */
export function fewDropped({ perSecond, durationMs }: Pick<RunSettings, 'perSecond' | 'durationMs'>): readonly Threshold[] {
  if (perSecond === undefined) return [];
  return [{ metric: 'dropped_iterations', stat: 'count', op: '<=', value: Math.floor(DROPPABLE * ((perSecond * durationMs) / 1_000)) }];
}

/** While the first users open their limiters, a few turns find none that is free. */
const DROPPABLE = 0.01;

/** Judged in every run: where the store gives no answers, there is nothing to measure. */
export const FEW_ERRORS: Threshold = { metric: ERRORS_RATE, stat: 'rate', op: '<', value: 0.01, abortAfterMs: 5_000 };
