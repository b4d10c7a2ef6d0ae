import { type BucketRef, bucketName } from '@millrace/core';
import { checkAdmission, type Tolerance } from './check-admission.js';
import { checkLocalRejections } from './check-local-rejections.js';
import { checkOrder } from './check-order.js';
import { adrift, checkCredits, checkRequests, takenAgain } from './check-requests.js';
import { checkTurns } from './check-turns.js';
import { NAMESPACE, RESOURCE } from './client.js';
import type { Claim, Executed } from './history.js';
import { levelsOf, type Scenario } from './scenario.js';
import type { World } from './world.js';

type ByBucket = ReadonlyMap<string, readonly Executed[]>;

/**
 * Judges a finished run; each line names the invariant that is broken. I8, I13 and I15 are `checkAlone`'s. I12 (a split
 * conserves) waits for shards.
 */
export function checkHistory(world: World): string[] {
  const { history, scenario, without } = world;
  const broken = [...history.surprises.map((surprise) => `an error that this world does not explain: ${surprise}`)];
  const byBucket = groupByBucket(history.executed);
  const executedAt = (entity: string): readonly Executed[] => byBucket.get(bucketName(refOf(entity))) ?? [];
  for (const [entity, limits] of scenario.limits) {
    const executed = executedAt(entity);
    for (const limit of limits) {
      broken.push(...checkAdmission(limit, executed, toleranceOf(world)).map((line) => `${line} at ${entity}`));
      broken.push(...checkBooks(world, entity, limit.name, byBucket));
    }
    broken.push(...checkAtomicity(executed, entity), ...checkRequests(executed, entity));
  }
  broken.push(...checkLineage(byBucket));
  // What is taken ahead belongs to no caller yet: what is told, and what is given back, does not follow from the callers.
  if (scenario.prefetch !== undefined) return broken;
  broken.push(...checkTurns(history, scenario), ...checkCredits(history, scenario), ...checkLocalRejections(history, scenario));
  // Without group commit, callers overtake one another on the way.
  if (!without.includes('groupCommit')) broken.push(...checkOrder(history, scenario, executedAt));
  return broken;
}

/** A second copy of a slow write is sent after a round trip, or this. */
const HEDGED_US = 5_000;

/**
 * What arrives a second time is older than one way of a request: a duplicate by another, a second copy of a write by the
 * patience of its sender.
 */
function toleranceOf({ scenario, without }: World): Tolerance {
  const { maxSkewUs, maxDelayUs, faults, waits } = scenario;
  const again = faults.duplicates > 0 ? maxDelayUs : 0;
  const hedged = faults.lostRequests > 0 && !without.includes('hedging') ? Math.max(HEDGED_US, 2 * maxDelayUs + 1_000) : 0;
  return { skewUs: maxSkewUs, delayUs: maxDelayUs + again + hedged, waitUs: Math.max(...waits.ms) * 1000 };
}

function refOf(entity: string): BucketRef {
  return { namespaceId: NAMESPACE, entity, resource: RESOURCE, shard: 0 };
}

/**
 * I2, I3, I4, I6, I11: the table's books against what callers know. In a world where every reply comes they agree to the
 * token: a refused acquire has changed nothing at any level, an admitted one has charged each of them, once. Where
 * replies are lost, the difference is what was lost, and never in the callers' favour.
 */
function checkBooks({ history, scenario, store }: World, entity: string, limit: string, byBucket: ByBucket): string[] {
  const state = store.bucket(refOf(entity))?.limits.get(limit);
  const net = state === undefined ? 0 : Number(state.used - state.returned);
  const executed = byBucket.get(bucketName(refOf(entity))) ?? [];
  const knownFromUs = knownFrom(scenario, entity, byBucket);
  // A chunk whose reply is lost, or whose process dies, leaks, and no caller knows of it.
  const leaks = scenario.prefetch !== undefined && Object.values(scenario.faults).some((share) => share > 0);
  let [low, high, refused] = [0, leaks ? Number.POSITIVE_INFINITY : 0, 0];
  for (const claim of history.claims) {
    if (!levelsOf(scenario, claim.entity).includes(entity)) continue;
    const certain = claim.consumed.get(limit) ?? 0;
    const unsure = claim.unsureHigh.get(limit) ?? 0;
    // Before anybody knew of the parent, an acquire need not have charged it.
    if (claim.atUs >= knownFromUs) low += certain + (claim.unsureLow.get(limit) ?? 0);
    high += certain + (isGone(claim) ? 0 : unsure);
    refused += isGone(claim) ? unsure : 0;
  }
  const again = takenAgain(executed, limit);
  // What callers were refused is gone only where its debit was never heard of, or its credit never arrived.
  high += again + Math.min(refused, adrift(history, executed, entity, limit));
  low += again;
  if (net >= low && net <= high) return [];
  return [`I3 "${limit}" of ${entity}: the books say ${net} tokens, the callers between ${low} and ${high}`];
}

/** True where the caller was told that it has nothing. */
function isGone({ ending }: Claim): boolean {
  return ending === 'rejected' || ending === 'failed';
}

/** From when on nobody can take from the children of an entity without charging it: their buckets have met its lineage. */
function knownFrom(scenario: Scenario, entity: string, byBucket: ByBucket): number {
  const children = scenario.entities.filter(({ ancestors }) => ancestors.includes(entity));
  if (scenario.createdAt === 0 || children.length === 0) return Number.NEGATIVE_INFINITY;
  // What was taken ahead by then may still be served, by processes that have not heard of it.
  const heldUs = (scenario.prefetch?.lifetimeMs ?? 0) * 1000;
  return Math.max(
    ...children.map(({ id }) => {
      const executed = byBucket.get(bucketName(refOf(id))) ?? [];
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
