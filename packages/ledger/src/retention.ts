import { checkInteger, checkKeys, WINDOW_TYPES, type WindowRef, type WindowType } from '@millrace/core';

/** For how many days a window of each type is kept, from its start; without a number for ever. */
export type Retention = Readonly<Partial<Record<WindowType, number>>>;

export const DEFAULT_RETENTION: Retention = Object.freeze({ hour: 90, day: 400, week: 800 });

/**
 * The fewest days for which a window of each type may be kept. They are counted from its start, and by then it must be over, its
 * records must have come, which may be a day late, and it must be sealed: one that expires sooner would begin anew amid its time.
 */
export const LEAST_RETENTION: Readonly<Record<WindowType, number>> = Object.freeze({ hour: 3, day: 3, week: 10, month: 34 });

const DAY_SEC = 86_400;
const DAY_MS = 86_400_000;
const MAX_DAYS = 36_500;

/** The fewest days for which a window may be kept that is sealed so long after its end: what has expired by then is not in the seal. */
export function leastSealedRetention(type: WindowType, lateMs: number): number {
  return LEAST_RETENTION[type] + Math.ceil(Math.max(0, lateMs - DAY_MS) / DAY_MS);
}

/** Checks a retention; a type that is not named has none. */
export function checkRetention(value: unknown): Retention {
  checkKeys('retention', value, WINDOW_TYPES);
  const retention = value as Retention;
  for (const type of WINDOW_TYPES) {
    if (retention[type] !== undefined) checkInteger(`retention of "${type}", in days,`, retention[type], LEAST_RETENTION[type], MAX_DAYS);
  }
  return retention;
}

/** When the item of a window may be deleted, in seconds; undefined where it is kept. */
export function expiresSec({ type, startMs }: WindowRef, retention: Retention): number | undefined {
  const days = retention[type];
  return days === undefined ? undefined : Math.floor(startMs / 1_000) + days * DAY_SEC;
}
