import { bucketName, MAX_SHARDS } from '@millrace/core';
import { checkAdmission, type Tolerance } from './check-admission.js';
import { checkChanges } from './check-changes.js';
import { checkLocalRejections } from './check-local-rejections.js';
import { checkOrder } from './check-order.js';
import { adrift, checkCredits, checkRequests, takenAgain } from './check-requests.js';
import { checkTurns } from './check-turns.js';
import { NAMESPACE, RESOURCE } from './client.js';
import type { Claim, Executed } from './history.js';
import { levelsOf, type Scenario } from './scenario.js';
import type { World } from './world.js';

type ByEntity = ReadonlyMap<string, readonly Executed[]>;

/**
 * Judges a finished run; each line names the invariant that is broken. I8, I13 and I15 are `checkAlone`'s.
 *
 * I12, a split or a merge conserves: all items of a bucket are judged together as if they were one, by I1 (which is then
 * called I12) and I3. ADR 0019 grants them no token more.
 */
export function checkHistory(world: World): string[] {
  const { history, scenario, without } = world;
  const broken = [...history.surprises.map((surprise) => `an error that this world does not explain: ${surprise}`)];
  const byEntity = groupBy(history.executed, ({ ref }) => ref.entity);
  const executedAt = (entity: string): readonly Executed[] => byEntity.get(entity) ?? [];
  for (const [entity, limits] of scenario.limits) {
    const executed = executedAt(entity);
    for (const limit of limits) {
      const lines =
        scenario.changes === undefined
          ? checkAdmission(limit, executed, toleranceOf(world))
          : checkChanges(world, entity, limit.name, executed, toleranceOf(world));
      broken.push(...lines.map((line) => `${line} at ${entity}`));
      broken.push(...checkBooks(world, entity, limit.name, byEntity));
    }
    broken.push(...checkAtomicity(executed, entity));
    for (const ofItem of byItem(executed)) broken.push(...checkRequests(ofItem, entity), ...checkLineage(ofItem));
  }
  broken.push(...checkCredits(history, scenario), ...checkLocalRejections(history, scenario));
  // Turns and an order are promised as long as the limits stay what they are.
  if (scenario.changes !== undefined) return broken;
  broken.push(...checkTurns(history, scenario));
  // Whom a chunk serves need not go behind those who are on their way to the table.
  if (scenario.prefetch !== undefined) return broken;
  // Without group commit, callers overtake one another on the way; and where one item is exhausted, on the way to another.
  if (!without.includes('groupCommit') && scenario.spreading === undefined) broken.push(...checkOrder(history, scenario, executedAt));
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

/** What was consumed of a limit by the books of all items, also of those that have retired: nobody takes their counters over. */
function netOf({ store, scenario }: World, entity: string, limit: string): number {
  let net = 0n;
  for (let shard = 0; shard < (scenario.spreading === undefined ? 1 : MAX_SHARDS); shard += 1) {
    const state = store.bucket({ namespaceId: NAMESPACE, entity, resource: RESOURCE, shard })?.limits.get(limit);
    if (state !== undefined) net += state.used - state.returned;
  }
  return Number(net);
}

/**
 * I2, I3, I4, I6, I11: the table's books against what callers know. In a world where every reply comes they agree to the
 * token: a refused acquire has changed nothing at any level, an admitted one has charged each of them, once. Where
 * replies are lost, the difference is what was lost, and never in the callers' favour.
 */
function checkBooks(world: World, entity: string, limit: string, byEntity: ByEntity): string[] {
  const { history, scenario } = world;
  const net = netOf(world, entity, limit);
  const executed = byEntity.get(entity) ?? [];
  const knownFromUs = knownFrom(scenario, entity, byEntity);
  // A chunk whose reply is lost, or whose process dies, leaks, and no caller knows of it.
  const leaks = scenario.prefetch !== undefined && Object.values(scenario.faults).some((share) => share > 0);
  let [low, high, refused] = [0, leaks ? Number.POSITIVE_INFINITY : 0, 0];
  for (const claim of history.claims) {
    if (!levelsOf(scenario, claim.entity).includes(entity)) continue;
    const certain = claim.consumed.get(limit) ?? 0;
    const unsure = claim.unsureHigh.get(limit) ?? 0;
    // Before anybody knew of the parent, an acquire need not have charged it.
    if (claim.atUs > knownFromUs) low += certain + (claim.unsureLow.get(limit) ?? 0);
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

/** From when on nobody has taken from the children of an entity without charging it: their buckets have met its lineage. */
function knownFrom(scenario: Scenario, entity: string, byEntity: ByEntity): number {
  const children = scenario.entities.filter(({ ancestors }) => ancestors.includes(entity));
  if (scenario.createdAt === 0 || children.length === 0) return Number.NEGATIVE_INFINITY;
  // What was taken ahead by then may still be served, by processes that have not heard of it.
  const heldUs = (scenario.prefetch?.lifetimeMs ?? 0) * 1000;
  return Math.max(
    ...children.map(({ id }) => {
      const unaware = (byEntity.get(id) ?? []).filter(({ applied, write }) => applied && write.configVersion === 0);
      return (unaware.at(-1)?.atUs ?? Number.NEGATIVE_INFINITY) + heldUs;
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

/** I11: once an item has met a lineage, nobody with an older one takes from it. */
function checkLineage(ofItem: readonly Executed[]): string[] {
  let newest = Number.NEGATIVE_INFINITY;
  for (const { write, applied } of ofItem) {
    if (!applied || write.configVersion === undefined) continue;
    if (write.configVersion < newest) return [`I11 a bucket served "${write.ref.entity}" to a client that did not know its ancestors`];
    newest = write.configVersion;
  }
  return [];
}

function byItem(executed: readonly Executed[]): Iterable<readonly Executed[]> {
  const isOne = executed.every(({ write }) => write.ref.shard === 0);
  return isOne ? [executed] : groupBy(executed, ({ ref }) => bucketName(ref)).values();
}

function groupBy(executed: readonly Executed[], nameOf: (write: Executed['write']) => string): Map<string, Executed[]> {
  const groups = new Map<string, Executed[]>();
  for (const entry of executed) {
    const name = nameOf(entry.write);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [entry]);
    else group.push(entry);
  }
  return groups;
}
