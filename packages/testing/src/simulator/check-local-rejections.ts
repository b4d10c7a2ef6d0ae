import { type BucketState, type Limit, shardTiming, timingOf } from '@millrace/core';
import { generationsInUse, generationsOf } from './generations.js';
import type { Executed, History, LocalRejection } from './history.js';
import type { Scenario } from './scenario.js';

/** A proof of exhaustion is believed for so long. */
const PROOF_US = 1_000_000;

/**
 * I14: a rejection for which nobody was asked is one that the store would have given at that very moment, by the same
 * clock. It may differ only by what other processes gave back while the proof was fresh; what its own process gave back
 * it has to know of. (A clock that is set back stands still for as long, and a proof with it.)
 *
 * A bucket of several items refuses what fits one of them if each does, and a larger request if one does. While it is being
 * spread otherwise a proof may be of the items that were: ADR 0019 grants it that, for as long as it is fresh.
 */
export function checkLocalRejections(history: History, scenario: Scenario): string[] {
  const windowUs = PROOF_US + 2 * scenario.maxSkewUs;
  const generations = generationsOf(scenario);
  for (const rejection of history.localRejections) {
    const [generation = 0, ...others] = generationsInUse(history, scenario, rejection.claim.client, rejection.atUs);
    // Shortly after a change of the limits nobody but the process itself can say which of them it went by.
    if (others.length > 0) continue;
    const limits = generations[generation] ?? scenario.limits;
    if (isInOtherScale(rejection, limits) || isRefused(rejection, limits, () => 0)) continue;
    const backUs = (entity: string, limit: string) => givenBackByOthersUs(history.executed, rejection, entity, limit, windowUs);
    if (isRefused(rejection, limits, backUs) || hasReshaped(history.executed, rejection, windowUs)) continue;
    const { claim, atUs } = rejection;
    return [
      `I14 process ${claim.client} refused ${JSON.stringify(claim.amounts)} of ${claim.entity} at ${atUs} without asking; the store would not have`,
    ];
  }
  return [];
}

/** Whether some level would have refused it, if what was given back meanwhile had not been. */
function isRefused(
  { claim, levels, nowUs }: LocalRejection,
  limits: Scenario['limits'],
  backUs: (entity: string, limit: string) => number,
): boolean {
  return levels.some(({ entity, items }) => {
    const asked = (limits.get(entity) ?? []).filter(({ name }) => claim.amounts[name] !== undefined);
    const toleranceUs = (limit: Limit) => shardTiming(timingOf(limit), items.length).busyToleranceUs;
    const costUs = (limit: Limit, count: number) => timeOfUs(limit, count * (claim.amounts[limit.name] ?? 0));
    const fitsOne = items.length === 1 || asked.every((limit) => costUs(limit, items.length) <= toleranceUs(limit));
    const refuses = (state: BucketState | undefined): boolean =>
      asked.some((limit) => {
        const tatUs = state?.limits.get(limit.name)?.tatUs;
        // Charged to all of them, each is charged the time that one alone would be.
        const takenUs = costUs(limit, fitsOne ? items.length : 1);
        return tatUs !== undefined && tatUs + backUs(entity, limit.name) + takenUs > nowUs + toleranceUs(limit) + claim.waitMs * 1000;
      });
    return fitsOne ? items.every(refuses) : items.some(refuses);
  });
}

/** Whether a bucket is in another rate than the limits that a process goes by: another process has brought it there since. */
function isInOtherScale({ levels }: LocalRejection, limits: Scenario['limits']): boolean {
  return levels.some(({ entity, items }) =>
    (limits.get(entity) ?? []).some((limit) => {
      const { scale } = timingOf(limit);
      return items.some((state) => (state?.limits.get(limit.name)?.scale ?? scale) !== scale);
    }),
  );
}

/** Whether the items of one of the levels became more or fewer while the proof was fresh. */
function hasReshaped(executed: readonly Executed[], { executed: count, atUs, levels }: LocalRejection, windowUs: number): boolean {
  for (let index = count - 1; index >= 0; index -= 1) {
    const { atUs: doneUs, write, applied } = executed[index] as Executed;
    if (doneUs < atUs - windowUs) return false;
    if (applied && write.reshape !== undefined && levels.some(({ entity }) => entity === write.ref.entity)) return true;
  }
  return false;
}

/** The time that tokens take to flow back, rounded up, in whole numbers that cannot lose anything. */
export function timeOfUs({ periodMs, refill }: Limit, tokens: number): number {
  const [dividend, divisor] = [BigInt(tokens) * BigInt(periodMs) * 1000n, BigInt(refill)];
  return Number((dividend + divisor - 1n) / divisor);
}

function givenBackByOthersUs(
  executed: readonly Executed[],
  rejection: LocalRejection,
  entity: string,
  limit: string,
  windowUs: number,
): number {
  let sumUs = 0;
  for (let index = rejection.executed - 1; index >= 0; index -= 1) {
    const { atUs, client, write, before, after, applied } = executed[index] as Executed;
    if (atUs < rejection.atUs - windowUs) break;
    if (!applied || client === rejection.claim.client || write.ref.entity !== entity) continue;
    sumUs += Math.max(0, tatOf(before, limit) - tatOf(after, limit));
  }
  return sumUs;
}

function tatOf(state: BucketState | undefined, limit: string): number {
  return state?.limits.get(limit)?.tatUs ?? 0;
}
