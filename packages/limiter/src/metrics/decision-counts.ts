import { DECISION_METRICS, METRIC_DIMENSION, type MetricPoint, OTHER_RESOURCES } from '@millrace/core';
import type { Decision, DecisionObserver } from '../engine/index.js';
import { dimensionValue } from './dimension-value.js';
import { LatencyBins } from './latency-bins.js';
import type { EntityActivity } from './sink.js';

/** How many entities are counted apart between two reports. One that asks much is sure to be among the first thousand. */
const MAX_ENTITIES = 1_000;

type Metrics = MetricPoint['metrics'];

/** How the acquires of a resource were decided. */
class ResourceCounts {
  admitted = 0;
  rejected = 0;
  locallyRejected = 0;
  degraded = 0;
  unavailable = 0;
  readonly latency = new LatencyBins();

  add(decision: Decision, tookMs: number): void {
    if (decision === 'admitted' || decision === 'degraded') this.admitted += 1;
    if (decision === 'rejected' || decision === 'locally-rejected') this.rejected += 1;
    if (decision === 'locally-rejected') this.locallyRejected += 1;
    if (decision === 'degraded') this.degraded += 1;
    if (decision === 'unavailable') this.unavailable += 1;
    this.latency.add(tookMs);
  }

  merge(other: ResourceCounts): void {
    this.admitted += other.admitted;
    this.rejected += other.rejected;
    this.locallyRejected += other.locallyRejected;
    this.degraded += other.degraded;
    this.unavailable += other.unavailable;
    this.latency.merge(other.latency);
  }

  metrics(): Metrics {
    const { admitted, rejected, locallyRejected, degraded, unavailable } = this;
    const counts = { admitted, rejected, locallyRejected, degraded, unavailable };
    const keys = Object.keys(counts) as (keyof typeof counts)[];
    const latency = this.latency.distribution();
    return [
      ...keys.map((key) => ({ definition: DECISION_METRICS[key], value: counts[key] })),
      ...(latency === undefined ? [] : [{ definition: DECISION_METRICS.acquireLatency, value: latency }]),
    ];
  }
}

/** What was decided since the last report. */
export interface DecisionReport {
  /** Of all resources together. */
  readonly total: Metrics;
  /** Of each resource on which something was decided. */
  readonly resources: readonly MetricPoint[];
  readonly entities: readonly EntityActivity[];
}

/** Counts decisions by resource, and, where it is wanted, by entity. What it keeps is bounded. */
export class DecisionCounts implements DecisionObserver {
  readonly nowMs: () => number;
  readonly #maxResources: number;
  readonly #topEntities: number;
  #resources = new Map<string, ResourceCounts>();
  #entities = new Map<string, { entity: string; resource: string; acquires: number; rejected: number }>();
  /** Those that had a place of their own in the last report keep it while they are in use. */
  #kept: ReadonlySet<string> = new Set();
  #placesTaken = 0;

  constructor(nowMs: () => number, maxResources: number, topEntities: number) {
    this.nowMs = nowMs;
    this.#maxResources = maxResources;
    this.#topEntities = topEntities;
  }

  decided({ entity, resource }: { readonly entity: string; readonly resource: string }, decision: Decision, tookMs: number): void {
    this.#countsOf(resource).add(decision, tookMs);
    if (this.#topEntities > 0) this.#countEntity(entity, resource, decision);
  }

  /** Tells what was counted, and begins anew. */
  take(table: string): DecisionReport {
    const counted = this.#resources;
    const entities = [...this.#entities.values()].sort((one, other) => other.acquires - one.acquires).slice(0, this.#topEntities);
    this.#resources = new Map();
    this.#entities = new Map();
    this.#kept = new Set([...counted.keys()].filter((name) => name !== ''));
    this.#placesTaken = this.#kept.size;

    const total = new ResourceCounts();
    for (const counts of counted.values()) total.merge(counts);
    const places = this.#maxResources === 0 ? [] : [...counted];
    const resources = places.map(([name, counts]) => {
      const resource = name === '' ? OTHER_RESOURCES : dimensionValue(name);
      return { dimensions: { [METRIC_DIMENSION.table]: table, [METRIC_DIMENSION.resource]: resource }, metrics: counts.metrics() };
    });
    return { total: total.metrics(), resources, entities };
  }

  #countsOf(resource: string): ResourceCounts {
    const known = this.#resources.get(resource);
    if (known !== undefined) return known;
    // No resource has an empty name, so it stands for all that have no place of their own.
    const name = this.#takePlace(resource) ? resource : '';
    const counts = this.#resources.get(name) ?? new ResourceCounts();
    this.#resources.set(name, counts);
    return counts;
  }

  #takePlace(resource: string): boolean {
    if (this.#kept.has(resource)) return true;
    if (this.#placesTaken >= this.#maxResources) return false;
    this.#placesTaken += 1;
    return true;
  }

  #countEntity(entity: string, resource: string, decision: Decision): void {
    const key = `${entity}\n${resource}`;
    let activity = this.#entities.get(key);
    if (activity === undefined) {
      if (this.#entities.size >= MAX_ENTITIES) return;
      activity = { entity, resource, acquires: 0, rejected: 0 };
      this.#entities.set(key, activity);
    }
    activity.acquires += 1;
    if (decision === 'rejected' || decision === 'locally-rejected') activity.rejected += 1;
  }
}
