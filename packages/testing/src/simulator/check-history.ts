import { type BucketRef, bucketName } from '@millrace/core';
import type { MemoryStore } from '../memory-store.js';
import { checkAdmission } from './check-admission.js';
import { checkRequests, takenAgain } from './check-requests.js';
import { NAMESPACE, RESOURCE } from './client.js';
import type { Executed, History } from './history.js';
import type { Scenario } from './scenario.js';

type ByBucket = ReadonlyMap<string, readonly Executed[]>;

/** Judges a finished run; each line names the invariant that is broken. */
export function checkHistory(history: History, scenario: Scenario, store: MemoryStore): string[] {
  const broken = [...history.surprises.map((surprise) => `an error that this world does not explain: ${surprise}`)];
  const byBucket = groupByBucket(history.executed);
  for (const [entity, limits] of scenario.limits) {
    const ref = { namespaceId: NAMESPACE, entity, resource: RESOURCE, shard: 0 };
    const executed = byBucket.get(bucketName(ref)) ?? [];
    for (const limit of limits) {
      const tolerance = { skewUs: scenario.maxSkewUs, delayUs: scenario.maxDelayUs };
      broken.push(...checkAdmission(limit, executed, tolerance).map((line) => `${line} at ${entity}`));
      broken.push(...checkBooks(history, scenario, store, ref, limit.name, byBucket));
    }
    broken.push(...checkAtomicity(executed, entity), ...checkRequests(executed, entity));
  }
  broken.push(...checkLineage(byBucket));
  return broken;
}

/**
 * I2, I3, I4, I6, I11: the table's books against what callers know. In a world where every reply comes they agree to the
 * token: a refused acquire has changed nothing at any level, an admitted one has charged each of them, once. Where
 * replies are lost, the difference is what was lost, and never in the callers' favour.
 */
function checkBooks(history: History, scenario: Scenario, store: MemoryStore, ref: BucketRef, limit: string, byBucket: ByBucket): string[] {
  const state = store.bucket(ref)?.limits.get(limit);
  const net = state === undefined ? 0 : Number(state.used - state.returned);
  const knownFromUs = knownFrom(scenario, ref.entity, byBucket);
  // A chunk whose reply is lost, or whose process dies, leaks, and no caller knows of it.
  const leaks = scenario.prefetch !== undefined && scenario.faults.lostReplies > 0;
  let [low, high] = [0, leaks ? Number.POSITIVE_INFINITY : 0];
  for (const claim of history.claims) {
    if (!chargesOf(scenario, claim.entity).includes(ref.entity)) continue;
    const certain = claim.consumed.get(limit) ?? 0;
    // Before anybody knew of the parent, an acquire need not have charged it.
    if (claim.atUs >= knownFromUs) low += certain + (claim.unsureLow.get(limit) ?? 0);
    high += certain + (claim.unsureHigh.get(limit) ?? 0);
  }
  const again = takenAgain(byBucket.get(bucketName(ref)) ?? [], limit);
  [low, high] = [low + again, high + again];
  if (net >= low && net <= high) return [];
  return [`I3 "${limit}" of ${ref.entity}: the books say ${net} tokens, the callers between ${low} and ${high}`];
}

function chargesOf(scenario: Scenario, entity: string): readonly string[] {
  const found = scenario.entities.find(({ id }) => id === entity);
  return [entity, ...(found?.ancestors ?? [])];
}

/** From when on nobody can take from the children of an entity without charging it: their buckets have met its lineage. */
function knownFrom(scenario: Scenario, entity: string, byBucket: ByBucket): number {
  const children = scenario.entities.filter(({ ancestors }) => ancestors.includes(entity));
  if (scenario.createdAt === 0 || children.length === 0) return Number.NEGATIVE_INFINITY;
  // What was taken ahead by then may still be served, by processes that have not heard of it.
  const heldUs = (scenario.prefetch?.lifetimeMs ?? 0) * 1000;
  return Math.max(
    ...children.map(({ id }) => {
      const executed = byBucket.get(bucketName({ namespaceId: NAMESPACE, entity: id, resource: RESOURCE, shard: 0 })) ?? [];
      const met = executed.find(({ applied, write }) => applied && (write.configVersion ?? 0) > 0)?.atUs ?? Number.POSITIVE_INFINITY;
      return met + heldUs;
    }),
  );
}

/** I10: a write moves all its limits or none; I2: one that is refused leaves the bucket as it was. */
function checkAtomicity(executed: readonly Executed[], entity: string): string[] {
  for (const { write, before, after, applied } of executed) {
    if (!applied && before !== after) return [`I2 a refused write changed the bucket of ${entity}`];
    const moved = write.moves.filter(({ limit }) => before?.limits.get(limit) !== after?.limits.get(limit));
    if (applied && moved.length !== write.moves.length)
      return [`I10 a write moved ${moved.length} of ${write.moves.length} limits of ${entity}`];
  }
  return [];
}

/** I11: once a bucket has met a lineage, nobody with an older one takes from it. */
function checkLineage(byBucket: ByBucket): string[] {
  for (const executed of byBucket.values()) {
    let newest = Number.NEGATIVE_INFINITY;
    for (const { write, applied } of executed) {
      if (!applied || write.configVersion === undefined) continue;
      if (write.configVersion < newest) return [`I11 a bucket served "${write.ref.entity}" to a client that did not know its ancestors`];
      newest = write.configVersion;
    }
  }
  return [];
}

function groupByBucket(executed: readonly Executed[]): Map<string, Executed[]> {
  const groups = new Map<string, Executed[]>();
  for (const entry of executed) {
    const name = bucketName(entry.write.ref);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [entry]);
    else group.push(entry);
  }
  return groups;
}
