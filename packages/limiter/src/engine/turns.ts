import { type BucketState, formFor, inScale, isStale, latestUs, type TakeMove } from '@millrace/core';
import type { Level } from './level.js';

/** The most tokens' time that is ever summed up for one limit: beyond it whole microseconds are not exact. */
const MOST_CHARGED_US = 2 ** 52;

/** Whether a request is admitted, from what is known of its bucket: {@link admittedInTurn} of one, as most are. */
export function isAdmitted({ debits, waitUs }: Level, state: BucketState | undefined, nowUs: number): boolean {
  for (let index = 0; index < debits.length; index += 1) {
    const { limit, timing, chargeUs } = debits[index] as Level['debits'][number];
    const held = state?.limits.get(limit.name);
    const tatUs = held === undefined ? undefined : inScale(held, timing, nowUs);
    if (formFor(timing, tatUs, nowUs, chargeUs, waitUs) === undefined || (tatUs ?? nowUs) + chargeUs >= MOST_CHARGED_US) return false;
  }
  return true;
}

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
  return levels.map(({ debits, waitUs }) => {
    const isAdmitted = debits.every(({ limit, timing, chargeUs }) => {
      const tatUs = tats.get(limit.name);
      return formFor(timing, tatUs, nowUs, chargeUs, waitUs) !== undefined && (tatUs ?? nowUs) + chargeUs < MOST_CHARGED_US;
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

/** Whether two requests of a bucket know the same of it and wait as long, so that one condition can speak for both. */
export function isAlike(a: Level, b: Level): boolean {
  if (a.layout !== b.layout || a.configVersion !== b.configVersion || a.waitUs !== b.waitUs) return false;
  if (a.limits.length !== b.limits.length) return false;
  return a.limits.every((limit, index) => limit === b.limits[index]);
}

/**
 * How long it is until each of several requests has its turn that one write has taken for, one after the other: until
 * the arrival time before it is no later than what admits it at once.
 */
export function waitsUs(levels: readonly Level[], moves: readonly TakeMove[], after: BucketState, nowUs: number): readonly number[] {
  const before = new Map<string, number>();
  for (const move of moves) {
    const tatUs = after.limits.get(move.limit)?.tatUs;
    // The idle form lands on a bucket that is full, and sets it to now.
    if (tatUs !== undefined) before.set(move.limit, move.form === 'idle' ? nowUs : tatUs - move.chargeUs);
  }
  return levels.map(({ debits, waitUs }) => {
    let longestUs = 0;
    for (const { limit, timing, chargeUs } of debits) {
      const tatUs = before.get(limit.name) ?? nowUs;
      longestUs = Math.max(longestUs, tatUs - latestUs(timing, nowUs, chargeUs));
      before.set(limit.name, tatUs + chargeUs);
    }
    // Who is not ready to wait was admitted by a bucket that was full for long enough, though the idle form did not see for how long.
    return Math.min(longestUs, waitUs);
  });
}
