import type { WindowType } from '@millrace/core';
import { dateAt, offsetChange, offsetMs, startOfDate } from './zone.js';

/** A span of time on the calendars and clocks of a zone: from its start up to, and without, its end. */
export interface UsageWindow {
  readonly type: WindowType;
  readonly startMs: number;
  readonly endMs: number;
}

const HOUR_MS = 3_600_000;
const THURSDAY = 4;

/** The windows that a moment falls into, one of each type, in the order of the types. */
export function windowsOf(atMs: number, zone: string, types: readonly WindowType[]): readonly UsageWindow[] {
  return types.map((type) => windowOf(atMs, zone, type));
}

/**
 * The window of a type that a moment falls into. The windows of a type follow each other without a gap or an overlap, and
 * the hours of a day make up the day.
 *
 * - An hour is what clocks show as one hour without being changed meanwhile: where they go back, the hour that they show twice is two.
 * - A day begins at the first midnight of its date, or where clocks jump over that; it has 23 or 25 hours where they change.
 * - A week begins on Monday (ISO 8601), a month on its first day.
 */
export function windowOf(atMs: number, zone: string, type: WindowType): UsageWindow {
  return type === 'hour' ? hourOf(atMs, zone) : { type, ...daysOf(atMs, zone, type) };
}

function hourOf(atMs: number, zone: string): UsageWindow {
  const offset = offsetMs(atMs, zone);
  const localMs = atMs + offset;
  const startMs = atMs - (localMs - Math.floor(localMs / HOUR_MS) * HOUR_MS);
  const endMs = startMs + HOUR_MS;
  return {
    type: 'hour',
    startMs: offsetMs(startMs, zone) === offset ? startMs : offsetChange(startMs, atMs, zone),
    endMs: offsetMs(endMs - 1, zone) === offset ? endMs : offsetChange(atMs, endMs - 1, zone),
  };
}

function daysOf(atMs: number, zone: string, type: Exclude<WindowType, 'hour'>): { readonly startMs: number; readonly endMs: number } {
  let { year, month, day } = dateAt(atMs, zone);
  // Where clocks go back over midnight, a date comes back for a while: that while belongs to the date after it.
  if (atMs >= startOfDate({ year, month, day: day + 1 }, zone)) ({ year, month, day } = normal(year, month, day + 1));
  const start = (months: number, days: number): number => startOfDate({ year, month: month + months, day: days }, zone);
  switch (type) {
    case 'day':
      return { startMs: start(0, day), endMs: start(0, day + 1) };
    case 'week': {
      const monday = day - weekday(year, month, day) + 1;
      return { startMs: start(0, monday), endMs: start(0, monday + 7) };
    }
    case 'month':
      return { startMs: start(0, 1), endMs: start(1, 1) };
  }
}

function normal(year: number, month: number, day: number) {
  const date = new Date(Date.UTC(year, month - 1, day));
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** 1 for Monday to 7 for Sunday. */
function weekday(year: number, month: number, day: number): number {
  return ((new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7) + 1;
}

/** The windows of a type that have a part in a range of time, in order: `fromMs` up to, and without, `toMs`. */
export function windowsBetween(fromMs: number, toMs: number, zone: string, type: WindowType): readonly UsageWindow[] {
  const windows: UsageWindow[] = [];
  for (let atMs = fromMs; atMs < toMs; ) {
    const window = windowOf(atMs, zone, type);
    windows.push(window);
    atMs = window.endMs;
  }
  return windows;
}

/** The number of the ISO week that a moment falls into, and the year that the week belongs to, which may be a neighbour of the date's. */
export function weekOf(atMs: number, zone: string): { readonly year: number; readonly week: number } {
  const { year, month, day } = dateAt(atMs, zone);
  // A week belongs to the year of its Thursday.
  const thursday = new Date(Date.UTC(year, month - 1, day - weekday(year, month, day) + THURSDAY));
  const weekYear = thursday.getUTCFullYear();
  return { year: weekYear, week: 1 + Math.floor((thursday.getTime() - Date.UTC(weekYear, 0, 1)) / (7 * 24 * HOUR_MS)) };
}
