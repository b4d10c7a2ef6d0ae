import { type Limit, timingOf } from '@millrace/core';
import { type BoundedMove, boundOf, isBounded, type JudgedMove, judgedMove, type Tolerance, tokensOf } from './check-admission.js';
import { generationsInUse, generationsOf } from './generations.js';
import type { Executed } from './history.js';
import { ItemDebts, scaledPerUs } from './item-debts.js';
import { START_US } from './virtual-time.js';
import type { World } from './world.js';

/**
 * I16, where limits change: what an entity's bucket admitted of one limit, by its name.
 *
 * A change of a rate conserves what is missing (ADR 0007): as in `checkAdmission` the level is what was taken less what
 * flowed back, but it flows at the rate that the bucket itself is in, and a change of that leaves the level as it is. Each
 * take has to fit the capacity of the limit that its own writer went by. So nothing is ever admitted above the larger of two
 * limits, and drained buckets stay drained.
 *
 * The items of a bucket that is spread are each in a rate of their own for a while. There the larger of all limits so far
 * is what is checked.
 */
export function checkChanges(world: World, entity: string, name: string, executed: readonly Executed[], tolerance: Tolerance): string[] {
  const generations = generationsOf(world.scenario).map((limits) => limits.get(entity)?.find((limit) => limit.name === name) as Limit);
  const isSpread = executed.some(({ write }) => write.ref.shard > 0);
  const lateUs = 2 * tolerance.skewUs + tolerance.delayUs;
  const broken: string[] = [];
  const soFar = new Set<Limit>();
  const debts = new ItemDebts(name);
  let [level, lastUs] = [0, 0];
  for (const done of executed) {
    if (!done.applied) continue;
    debts.note(done);
    for (const limit of limitsOf(world, done, generations)) soFar.add(limit);
    const largestPerUs = Math.max(...[...soFar].map(perUsOf));
    const [before, after] = [scaledPerUs(done.before, name), scaledPerUs(done.after, name)];
    const flow = isSpread ? largestPerUs : (before ?? largestPerUs);
    level = Math.max(0, level - (done.atUs - lastUs) * flow);
    lastUs = done.atUs;
    // What flows while a rescale is on its way, and by a clock that is wrong, may do so at the larger rate of the two.
    level = Math.max(0, level - Math.abs((after ?? 0) - (before ?? after ?? 0)) * lateUs);
    const move = judgedMove(done, name);
    if (move === undefined) continue;
    level = Math.max(0, level + tokensOf(move));
    if (!isTake(done, move)) continue;
    const own = isSpread ? [...soFar] : ownLimits(world, done, generations, move.scale);
    const bounds = own.map((limit) => boundOf(limit, move, done.write, tolerance.waitUs ?? 0).bound + hiddenBefore(soFar, limit));
    const slack = largestPerUs * lateUs + 1;
    const largest = Math.max(...own.map(({ capacity }) => capacity));
    const excess = debts.excess(level - Math.max(...bounds) - slack, done, largest);
    if (excess > 1e-6)
      broken.push(
        `I16 "${name}" admitted ${(excess + slack).toFixed(3)} tokens more than any limit in force (tolerance ${slack.toFixed(3)})`,
      );
  }
  return broken;
}

/** What settles a lease knows no configuration, and may go into debt. */
function isTake({ write }: Executed, move: JudgedMove): move is BoundedMove {
  return isBounded(move) && write.configVersion !== undefined;
}

/** The limits that the writer of a take may have gone by; its move says the rate. */
function ownLimits(world: World, done: Executed, generations: readonly Limit[], scale: string | undefined): readonly Limit[] {
  const limits = limitsOf(world, done, generations);
  const ofRate = limits.filter((limit) => scale === timingOf(limit).scale);
  return ofRate.length > 0 ? ofRate : limits;
}

/** Stored limits have a version that a write says; of those that are handed in the moment tells. */
function limitsOf({ history, scenario }: World, { write, client, atUs }: Executed, generations: readonly Limit[]): readonly Limit[] {
  const pick = (generation: number): Limit => generations[generation] as Limit;
  if (scenario.changes?.source !== 'stored') return generationsInUse(history, scenario, client, atUs).map(pick);
  // That of the entity's place, and that of the resource's limits, which counts on from the same moment.
  return write.configVersion === undefined ? [] : [pick(write.configVersion - (2 * START_US) / 1_000)];
}

/**
 * A bucket may lag behind by what its dead-band is worth, and pays for it with its tolerance. Whoever comes with a limit
 * that pays for less finds the lag of the one before.
 */
function hiddenBefore(soFar: ReadonlySet<Limit>, limit: Limit): number {
  const hidden = (of: Limit): number => timingOf(of).deadBandUs * perUsOf(of);
  return Math.max(...[...soFar].map(hidden)) - hidden(limit);
}

function perUsOf({ refill, periodMs }: Limit): number {
  return refill / (periodMs * 1_000);
}
