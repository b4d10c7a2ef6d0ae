import { ValidationError } from '@millrace/core';

/** The zone of a namespace that has named none. */
export const DEFAULT_ZONE = 'UTC';

/** So many zones are kept ready; a service has a few, and whoever asks for all of them pays for them again. */
const MAX_ZONES = 100;
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;
const SECOND_MS = 1_000;

/** Windows ask for the offsets at the same few midnights and hours again and again, and a format takes microseconds. */
const MAX_OFFSETS = 1_000;

interface Zone {
  readonly format: Intl.DateTimeFormat;
  /** Offsets that were asked for, by second. */
  readonly offsets: Map<number, number>;
}

const zones = new Map<string, Zone>();

/** Checks the name of a zone of the IANA database, such as `Europe/Berlin`. */
export function checkZone(value: unknown): string {
  // Runtimes differ in whether they take an offset for a zone; a zone is a name here.
  if (typeof value === 'string' && NAME.test(value) && isKnown(value)) return value;
  throw new ValidationError('zone', 'the name of an IANA time zone, such as "Europe/Berlin"', value);
}

/** Whether two names are of one zone, as `Asia/Kolkata` and `Asia/Calcutta` are. A name that this runtime does not know is that of itself alone. */
export function isSameZone(one: string, other: string): boolean {
  return one === other || (isKnown(one) && isKnown(other) && ruleOf(one) === ruleOf(other));
}

function ruleOf(zone: string): string {
  return zoneOf(zone).format.resolvedOptions().timeZone;
}

function isKnown(zone: string): boolean {
  try {
    zoneOf(zone);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** A date of the calendar, without a zone. Months count from 1; a day beyond its month is the one that it comes to. */
export interface CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** How far the clocks of a zone are ahead of UTC at a moment, in milliseconds. */
export function offsetMs(atMs: number, zone: string): number {
  const { format, offsets } = zoneOf(zone);
  const atSec = Math.floor(atMs / SECOND_MS);
  let offset = offsets.get(atSec);
  if (offset === undefined) {
    offset = localMs(format, atSec * SECOND_MS) - atSec * SECOND_MS;
    if (offsets.size >= MAX_OFFSETS) offsets.clear();
    offsets.set(atSec, offset);
  }
  return offset;
}

/** What clocks and calendars show, as the moment at which those of UTC show it. */
function localMs(format: Intl.DateTimeFormat, atMs: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(atMs)) parts[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** The date on the calendars of a zone at a moment. */
export function dateAt(atMs: number, zone: string): CalendarDate {
  const local = new Date(atMs + offsetMs(atMs, zone));
  return { year: local.getUTCFullYear(), month: local.getUTCMonth() + 1, day: local.getUTCDate() };
}

const DAY_MS = 86_400_000;

/**
 * The moment at which a date begins: the first at which the clocks say midnight, or, where they jump over it, the moment of
 * the jump. A date that a zone left out altogether begins where the next one does.
 */
export function startOfDate({ year, month, day }: CalendarDate, zone: string): number {
  const midnightMs = Date.UTC(year, month - 1, day);
  const offsets = [offsetMs(midnightMs - DAY_MS, zone), offsetMs(midnightMs + DAY_MS, zone)];
  const startsMs = offsets.map((offset) => midnightMs - offset).filter((startMs) => startMs + offsetMs(startMs, zone) === midnightMs);
  return startsMs.length === 0 ? offsetChange(midnightMs - DAY_MS, midnightMs + DAY_MS, zone) : Math.min(...startsMs);
}

/** The first moment after one at which the offset is that of another, later one; there is at most one change between the two. */
export function offsetChange(afterMs: number, untilMs: number, zone: string): number {
  const offset = offsetMs(untilMs, zone);
  let [oldMs, newMs] = [Math.floor(afterMs / SECOND_MS), Math.ceil(untilMs / SECOND_MS)];
  while (newMs - oldMs > 1) {
    const middle = Math.floor((oldMs + newMs) / 2);
    if (offsetMs(middle * SECOND_MS, zone) === offset) newMs = middle;
    else oldMs = middle;
  }
  return newMs * SECOND_MS;
}

function zoneOf(name: string): Zone {
  let zone = zones.get(name);
  if (zone === undefined) {
    zone = { format: formatOf(name), offsets: new Map() };
    if (zones.size >= MAX_ZONES) zones.clear();
    zones.set(name, zone);
  }
  return zone;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    // Midnight is hour 0: `hour12: false` would make it 24 in some versions of the data.
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
}
