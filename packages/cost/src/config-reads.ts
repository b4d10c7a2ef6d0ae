import { cacheFigures, ITEMS_PER_RESOLUTION, UNITS_PER_ITEM } from './config-cache.js';
import { SECONDS_PER_MONTH, type Units } from './units.js';
import type { Workload } from './workload.js';

/** Of the five items, those of the entity: its lineage, its limits for the resource, its default. The other two all share. */
const ITEMS_OF_ENTITY = 3;
const ITEMS_SHARED = ITEMS_PER_RESOLUTION - ITEMS_OF_ENTITY;

/**
 * Readings of limits and lineage, in a month.
 *
 * With a share of misses given, each miss reads all: five items in one request, half a unit each, whether they are there or
 * not; below d − 1 ancestors three more for each of them, all in one request more.
 *
 *     read units = acquires · misses · ½ · (5 + cascading · 3·(d − 1))
 *
 * Without it, each item is read as often as its life and its askers say: see {@link cacheFigures}. An entity is asked for
 * by each process at acquires ÷ (processes · entities); the items that all share at acquires ÷ (processes · resources);
 * an ancestor at least as often as an entity, so that what it costs is at most what is said here. Requests are at most as
 * many as readings: items that are due together share one.
 */
export function configReads(workload: Workload): Units {
  const { acquiresPerMonth, configMissShare } = workload;
  const ancestors = workload.cascadeShare * (workload.depth - 1);
  if (configMissShare !== undefined) {
    const misses = acquiresPerMonth * configMissShare;
    const items = misses * (ITEMS_PER_RESOLUTION + ITEMS_OF_ENTITY * ancestors);
    const requests = misses * (1 + (workload.depth > 1 ? workload.cascadeShare : 0));
    return { requests, readUnits: items * UNITS_PER_ITEM, writeUnits: 0 };
  }
  const perProcess = acquiresPerMonth / SECONDS_PER_MONTH / workload.processes;
  const readsPerAsk = (askers: number): number => cacheFigures(perProcess / askers, workload.configTtlSec).readsPerAsk;
  const ofEntity = readsPerAsk(workload.entities);
  const items = ITEMS_OF_ENTITY * (1 + ancestors) * ofEntity + ITEMS_SHARED * readsPerAsk(workload.resources);
  return { requests: acquiresPerMonth * items, readUnits: acquiresPerMonth * items * UNITS_PER_ITEM, writeUnits: 0 };
}
