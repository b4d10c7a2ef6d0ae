import { checkInteger, checkKeys, WINDOW_TYPES, type WindowRef, type WindowType } from '@millrace/core';

/** For how many days a window of each type is kept, from its start; without a number for ever. */
export type Retention = Readonly<Partial<Record<WindowType, number>>>;

export const DEFAULT_RETENTION: Retention = Object.freeze({ hour: 90, day: 400, week: 800 });

const DAY_SEC = 86_400;
const MAX_DAYS = 36_500;

/** Checks a retention; a type that is not named has none. A window must outlive the stream, whose records may come a day late. */
export function checkRetention(value: unknown): Retention {
  checkKeys('retention', value, WINDOW_TYPES);
  const retention = value as Retention;
  for (const type of WINDOW_TYPES) {
    if (retention[type] !== undefined) checkInteger(`retention of "${type}", in days,`, retention[type], 2, MAX_DAYS);
  }
  return retention;
}

/** When the item of a window may be deleted, in seconds; undefined where it is kept. */
export function expiresSec({ type, startMs }: WindowRef, retention: Retention): number | undefined {
  const days = retention[type];
  return days === undefined ? undefined : Math.floor(startMs / 1_000) + days * DAY_SEC;
}
