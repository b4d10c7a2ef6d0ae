import { WINDOW_TYPES, type WindowType } from '@millrace/core';
import { windowOf, windowsBetween } from '@millrace/ledger';
import { IANAZone } from 'luxon';
import { describe, expect, it } from 'vitest';
import { boundariesBetween, changeDays } from './luxon-windows.js';
import { ZONES } from './zones.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const YEARS = [2024, 2029] as const;

/** Where windows of a type begin within a range. */
function startsBetween(fromMs: number, toMs: number, zone: string, type: WindowType): readonly number[] {
  return windowsBetween(fromMs, toMs, zone, type)
    .map(({ startMs }) => startMs)
    .filter((startMs) => startMs >= fromMs);
}

function differences(fromMs: number, toMs: number, zone: string, stepMs?: number): readonly string[] {
  const expected = boundariesBetween(fromMs, toMs, zone, stepMs);
  return WINDOW_TYPES.flatMap((type) => {
    const [ours, theirs] = [startsBetween(fromMs, toMs, zone, type), expected.get(type) ?? []];
    return String(ours) === String(theirs) ? [] : [`${zone} ${type} from ${new Date(fromMs).toISOString()}: ${ours} and not ${theirs}`];
  });
}

describe.each(ZONES)('in %s', (zone) => {
  it('windows begin where another library changes its hour, date, week or month: on all days around changes of clocks', () => {
    const days = changeDays(zone, ...YEARS);

    expect(days.flatMap((dayMs) => differences(dayMs - DAY_MS, dayMs + 2 * DAY_MS, zone))).toEqual([]);
  });

  it('windows begin there at the turns of all months and years', () => {
    const turns = Array.from({ length: 12 * (YEARS[1] - YEARS[0]) }, (_, month) => Date.UTC(YEARS[0], month, 1));

    expect(turns.flatMap((turnMs) => differences(turnMs - DAY_MS, turnMs + DAY_MS, zone))).toEqual([]);
  });

  it('the hours of a day make it up, and are cut only where clocks are changed amid an hour', () => {
    for (const dayMs of changeDays(zone, ...YEARS)) {
      const day = windowOf(dayMs + DAY_MS / 2, zone, 'day');
      const hours = windowsBetween(day.startMs, day.endMs, zone, 'hour');
      expect([hours[0]?.startMs, hours.at(-1)?.endMs]).toEqual([day.startMs, day.endMs]);
      expect(hours.filter(({ startMs, endMs }) => endMs - startMs !== HOUR_MS).length).toBeLessThanOrEqual(2);
    }
  });
});

describe('the zones of the tests', () => {
  const lengthsOf = (zone: string): number[] =>
    changeDays(zone, ...YEARS).flatMap((dayMs) =>
      [-1, 0, 1].map((days) => {
        const { startMs, endMs } = windowOf(dayMs + days * DAY_MS + DAY_MS / 2, zone, 'day');
        return (endMs - startMs) / HOUR_MS;
      }),
    );

  it('are forty and one, and have days of 22, 23, 23.5, 24.5, 25 and 26 hours', () => {
    const lengths = new Set(ZONES.flatMap(lengthsOf));

    expect(ZONES.length).toBe(41);
    expect([...lengths].sort((a, b) => a - b)).toEqual([22, 23, 23.5, 24, 24.5, 25, 26]);
  });

  it('have days without a midnight: they begin at the jump, an hour after', () => {
    // Egypt's clocks go from 23:59 of a Thursday to 01:00 of the Friday.
    const day = windowOf(Date.UTC(2026, 3, 24, 12), 'Africa/Cairo', 'day');

    expect(new Date(day.startMs).toISOString()).toBe('2026-04-23T22:00:00.000Z');
    expect((day.endMs - day.startMs) / HOUR_MS).toBe(23);
    expect(new IANAZone('Africa/Cairo').offset(day.startMs)).toBe(180);
  });
});

describe('what zones have done in the past', () => {
  it.each([
    ['America/St_Johns', 'has put its clocks back at a minute past midnight', Date.UTC(2006, 9, 28), 60_000],
    ['Pacific/Apia', 'has left out a whole day', Date.UTC(2011, 11, 29), undefined],
    ['Pacific/Kwajalein', 'has left out a whole day in the other century', Date.UTC(1993, 7, 20), undefined],
    ['Asia/Pyongyang', 'has gone on by half an hour', Date.UTC(2018, 4, 4), undefined],
    ['America/Caracas', 'has gone on by half an hour at night', Date.UTC(2016, 4, 1), undefined],
    ['America/Asuncion', 'has put its clocks back at midnight', Date.UTC(2024, 2, 23), undefined],
  ])('%s %s', (zone, _, fromMs, stepMs) => {
    expect(differences(fromMs, fromMs + 3 * DAY_MS, zone, stepMs)).toEqual([]);
  });
});
