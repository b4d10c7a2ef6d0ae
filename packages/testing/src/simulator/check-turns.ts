import type { Limit } from '@millrace/core';
import type { History } from './history.js';
import type { Scenario } from './scenario.js';

/** A turn is rounded up to a whole millisecond. */
const ROUNDING_US = 1_000;

/**
 * I1, by the moments at which callers were told: a place that was reserved counts when its turn has come, and not before.
 *
 * Only where a caller is told within a round trip of its turn, and nothing is given back: tokens that come back between
 * a take and its turn would have to count for both. Where they do, the table's own history is judged by `checkAdmission`.
 *
 * A request of several limits, or one that is taken from all items of a bucket, waits for the last of them. What the
 * others gave by then was held for it, for as long as it was ready to wait at most. Tokens that were taken ahead are held
 * for those who will ask for them: the bound grows by what flows in a lifetime (ADR 0016).
 */
export function checkTurns({ claims }: History, scenario: Scenario): string[] {
  const { limits, entities, settling, faults, maxDelayUs, maxSkewUs } = scenario;
  const isSettled = settling.adjust > 0 || settling.release > 0;
  if (isSettled || Object.values(faults).some((share) => share > 0) || entities.some(({ ancestors }) => ancestors.length > 0)) return [];
  const admitted = claims.filter(({ ending }) => ending === 'admitted').sort((a, b) => a.toldUs - b.toldUs || a.toldAs - b.toldAs);
  const toleranceUs = 2 * maxSkewUs + 2 * maxDelayUs + ROUNDING_US;
  const lifetimeUs = (scenario.prefetch?.lifetimeMs ?? 0) * 1000;
  const longestWaitUs = Math.max(...scenario.waits.ms) * 1000;
  return [...limits].flatMap(([entity, held]) =>
    held.flatMap((limit) => {
      const told = admitted.filter((claim) => claim.entity === entity);
      const excess = mostExcess(limit, told);
      const isHeld = held.length > 1 || told.some(({ amounts }) => mayNeedAll(scenario, limit, amounts[limit.name]));
      const heldUs = (isHeld ? longestWaitUs : 0) + lifetimeUs;
      const slack = (limit.refill / (limit.periodMs * 1000)) * (toleranceUs + heldUs) + 1;
      if (excess <= slack + 1e-6) return [];
      return [
        `I1 callers of "${limit.name}" at ${entity} were told of ${excess.toFixed(3)} tokens too early (tolerance ${slack.toFixed(3)})`,
      ];
    }),
  );
}

/** Whether a request may be more than the share of an item, of which up to a tenth and the dead-band are kept back. */
function mayNeedAll({ spreading }: Scenario, { capacity }: Limit, tokens = 0): boolean {
  return spreading !== undefined && tokens * spreading.sharding.maxShards > 0.8 * capacity;
}

function mostExcess(limit: Limit, admitted: History['claims']): number {
  const perUs = limit.refill / (limit.periodMs * 1000);
  let [level, lastUs, most] = [0, 0, 0];
  for (const { amounts, toldUs } of admitted) {
    level = Math.max(0, level - (toldUs - lastUs) * perUs) + (amounts[limit.name] ?? 0);
    lastUs = toldUs;
    most = Math.max(most, level - limit.capacity);
  }
  return most;
}
