import { WINDOW_TYPES, type WindowType } from '@millrace/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type UsageWindow, weekOf, windowOf, windowsBetween, windowsOf } from './windows.js';

const HOUR_MS = 3_600_000;
const anyZone = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Havana',
  'America/Santiago',
  'Africa/Cairo',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Antarctica/Troll',
);
const anyMoment = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2030, 0, 1) });
const anyType = fc.constantFrom<WindowType>(...WINDOW_TYPES);

const at = (text: string): number => Date.parse(text);
const shown = ({ startMs, endMs }: UsageWindow): string => `${new Date(startMs).toISOString()} ${(endMs - startMs) / HOUR_MS}`;

describe('the windows of a zone', () => {
  it('tile time: a moment lies in the window that it has, and the window after that begins where it ends', () => {
    const tile = fc.property(anyMoment, anyZone, anyType, (atMs, zone, type) => {
      const window = windowOf(atMs, zone, type);
      expect(window.startMs <= atMs && atMs < window.endMs).toBe(true);
      for (const insideMs of [window.startMs, window.endMs - 1, Math.floor((window.startMs + window.endMs) / 2)]) {
        expect(windowOf(insideMs, zone, type)).toEqual(window);
      }
      expect(windowOf(window.endMs, zone, type).startMs).toBe(window.endMs);
      expect(windowOf(window.startMs - 1, zone, type).endMs).toBe(window.startMs);
    });

    fc.assert(tile, { numRuns: 2_000 });
  });

  it('nest: an hour lies in one day, a day in one week and one month', () => {
    const nest = fc.property(anyMoment, anyZone, (atMs, zone) => {
      const [hour, day, week, month] = windowsOf(atMs, zone, WINDOW_TYPES) as [UsageWindow, UsageWindow, UsageWindow, UsageWindow];
      for (const [inner, outer] of [
        [hour, day],
        [day, week],
        [day, month],
      ] as const) {
        expect(outer.startMs <= inner.startMs && inner.endMs <= outer.endMs).toBe(true);
      }
    });

    fc.assert(nest, { numRuns: 2_000 });
  });

  it('are those of a range that have a part in it, and none for an empty one', () => {
    const range = windowsBetween(at('2026-01-01T00:30:00Z'), at('2026-01-01T03:00:00Z'), 'UTC', 'hour');

    expect(range.map(shown)).toEqual(['2026-01-01T00:00:00.000Z 1', '2026-01-01T01:00:00.000Z 1', '2026-01-01T02:00:00.000Z 1']);
    expect(windowsBetween(5, 5, 'UTC', 'day')).toEqual([]);
  });

  it('come in the order of the types that are asked for, and only those', () => {
    const types = windowsOf(at('2026-01-01T00:30:00Z'), 'UTC', ['month', 'hour']).map(({ type }) => type);

    expect(types).toEqual(['month', 'hour']);
  });
});

describe('an hour', () => {
  it('that clocks show twice is two windows', () => {
    const first = windowOf(at('2026-10-25T00:30:00Z'), 'Europe/Berlin', 'hour');
    const second = windowOf(at('2026-10-25T01:30:00Z'), 'Europe/Berlin', 'hour');

    expect([first, second].map(shown)).toEqual(['2026-10-25T00:00:00.000Z 1', '2026-10-25T01:00:00.000Z 1']);
  });

  it('begins at half past, of UTC, where clocks are half an hour off', () => {
    expect(shown(windowOf(at('2026-01-01T00:10:00Z'), 'Asia/Kolkata', 'hour'))).toBe('2025-12-31T23:30:00.000Z 1');
  });

  it('is the last one of a month up to its last moment', () => {
    const [hour, , , month] = windowsOf(at('2026-02-28T23:59:59.999Z'), 'UTC', WINDOW_TYPES);

    expect(hour && shown(hour)).toBe('2026-02-28T23:00:00.000Z 1');
    expect(month?.endMs).toBe(hour?.endMs);
  });
});

describe('a day', () => {
  it('has 23 hours when clocks go forward, and 25 when they go back', () => {
    const days = ['2026-03-29T12:00:00Z', '2026-10-25T12:00:00Z'].map((text) => windowOf(at(text), 'Europe/Berlin', 'day'));

    expect(days.map(shown)).toEqual(['2026-03-28T23:00:00.000Z 23', '2026-10-24T22:00:00.000Z 25']);
  });

  it('begins with hour 0: midnight belongs to the day that begins (a peer has an hour 24)', () => {
    expect(shown(windowOf(at('2025-10-11T04:00:00Z'), 'America/New_York', 'day'))).toBe('2025-10-11T04:00:00.000Z 24');
  });

  it('of a date that comes back for a minute is not begun again', () => {
    // At a minute past midnight clocks went back to a minute past eleven.
    const day = windowOf(at('2006-10-29T02:40:00Z'), 'America/St_Johns', 'day');

    expect(shown(day)).toBe('2006-10-29T02:30:00.000Z 25');
  });
});

describe('a week', () => {
  it('begins on Monday, also where the month and the year change amid it', () => {
    expect(shown(windowOf(at('2027-01-01T12:00:00Z'), 'UTC', 'week'))).toBe('2026-12-28T00:00:00.000Z 168');
  });

  it.each([
    ['2026-12-31T12:00:00Z', 2026, 53],
    ['2027-01-03T12:00:00Z', 2026, 53],
    ['2027-01-04T12:00:00Z', 2027, 1],
    ['2024-12-30T12:00:00Z', 2025, 1],
    ['2020-12-31T12:00:00Z', 2020, 53],
    ['2021-01-01T12:00:00Z', 2020, 53],
    ['2023-01-01T12:00:00Z', 2022, 52],
  ])('of %s is %i, number %i', (text, year, week) => {
    expect(weekOf(at(text), 'UTC')).toEqual({ year, week });
  });
});

describe('a month', () => {
  it.each([
    ['2024-02-29T12:00:00Z', 29],
    ['2026-02-01T00:00:00Z', 28],
    ['2026-12-31T23:59:59Z', 31],
    ['2100-02-28T12:00:00Z', 28],
  ])('of %s has %i days', (text, days) => {
    const { startMs, endMs } = windowOf(at(text), 'UTC', 'month');

    expect((endMs - startMs) / (24 * HOUR_MS)).toBe(days);
  });
});
