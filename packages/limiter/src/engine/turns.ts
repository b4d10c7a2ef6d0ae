import { type BucketState, formFor, inScale, isStale } from '@millrace/core';
import type { Level } from './level.js';

/** The most tokens' time that is ever summed up for one limit: beyond it whole microseconds are not exact. */
const MOST_CHARGED_US = 2 ** 52;

/**
 * Which of several requests of one bucket are admitted if they come one after the other, from what is known of it. A
 * request that does not fit takes nothing, and does not stand in the way of a smaller one behind it.
 *
 * Taking the sum of those in one write is the same: for each limit the last one's condition, `tat <= now + τ′ − c` after
 * all before it, says what the sum's condition says before any of them.
 */
export function admittedInTurn(levels: readonly Level[], state: BucketState | undefined, nowUs: number): readonly boolean[] {
  const tats = new Map<string, number | undefined>();
  for (const { debits } of levels) {
    for (const { limit, timing } of debits) {
      const held = state?.limits.get(limit.name);
      tats.set(limit.name, held === undefined ? undefined : inScale(held, timing, nowUs));
    }
  }
  return levels.map(({ debits }) => {
    const isAdmitted = debits.every(({ limit, timing, chargeUs }) => {
      const tatUs = tats.get(limit.name);
      return formFor(timing, tatUs, nowUs, chargeUs) !== undefined && (tatUs ?? nowUs) + chargeUs < MOST_CHARGED_US;
    });
    if (!isAdmitted) return false;
    for (const { limit, timing, chargeUs } of debits) {
      const tatUs = tats.get(limit.name);
      tats.set(limit.name, (tatUs === undefined || isStale(timing, tatUs, nowUs) ? nowUs : tatUs) + chargeUs);
    }
    return true;
  });
}

/** Several requests of one bucket as one: the sum of what they take of each limit. */
export function sumOf(levels: readonly [Level, ...Level[]]): Level {
  const [first, ...others] = levels;
  if (others.length === 0) return first;
  const sums = new Map<string, Level['debits'][number]>();
  for (const debit of levels.flatMap(({ debits }) => debits)) {
    const sum = sums.get(debit.limit.name);
    const [tokens, chargeUs] = [debit.tokens + (sum?.tokens ?? 0), debit.chargeUs + (sum?.chargeUs ?? 0)];
    sums.set(debit.limit.name, { ...debit, tokens, chargeUs });
  }
  return { ...first, debits: [...sums.values()] };
}

/** Whether two requests of a bucket know the same limits of it, so that one condition can speak for both. */
export function isAlike(a: Level, b: Level): boolean {
  if (a.configVersion !== b.configVersion || a.limits.length !== b.limits.length) return false;
  return a.limits.every((limit, index) => limit === b.limits[index]);
}
