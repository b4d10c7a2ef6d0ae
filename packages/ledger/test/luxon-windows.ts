import type { WindowType } from '@millrace/core';
import { DateTime, IANAZone } from 'luxon';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A moment at which a window begins, by the reference. */
type Boundaries = ReadonlyMap<WindowType, readonly number[]>;

/**
 * Where windows begin in a range, told by another library and by another method: step by step through time, a window begins
 * where what clocks and calendars show of its type changes. A date that comes back once it was over is not begun again.
 */
export function boundariesBetween(fromMs: number, toMs: number, zone: string, stepMs = 15 * MINUTE_MS): Boundaries {
  const shownBy = new IANAZone(zone);
  const found = { hour: [] as number[], day: [] as number[], week: [] as number[], month: [] as number[] };
  let before: Labels | undefined;
  for (let atMs = fromMs - stepMs; atMs < toMs; atMs += stepMs) {
    const labels = labelsAt(atMs, shownBy, before);
    if (before !== undefined) {
      for (const type of ['hour', 'day', 'week', 'month'] as const) if (labels[type] !== before[type]) found[type].push(atMs);
    }
    before = labels;
  }
  return new Map(Object.entries(found) as [WindowType, number[]][]);
}

interface Labels extends Record<WindowType, string> {
  readonly date: string;
}

function labelsAt(atMs: number, zone: IANAZone, before: Labels | undefined): Labels {
  const offset = zone.offset(atMs);
  // Clocks and calendars of a zone are those of UTC, so much later.
  const local = DateTime.fromMillis(atMs + offset * MINUTE_MS, { zone: 'utc' });
  const hour = `${local.toFormat("yyyy-MM-dd'T'HH")} ${offset}`;
  const date = local.toISODate() ?? '';
  if (before !== undefined && date <= before.date) return { ...before, hour };
  return { date, hour, day: date, week: local.toFormat('kkkk-WW'), month: local.toFormat('yyyy-MM') };
}

/** The days (by UTC) in the years from one up to, and without, another, on which clocks of a zone are changed. */
export function changeDays(zone: string, fromYear: number, toYear: number): readonly number[] {
  const days: number[] = [];
  const shownBy = new IANAZone(zone);
  for (let atMs = Date.UTC(fromYear, 0, 1); atMs < Date.UTC(toYear, 0, 1); atMs += DAY_MS) {
    if (shownBy.offset(atMs) !== shownBy.offset(atMs + DAY_MS)) days.push(atMs);
  }
  return days;
}
