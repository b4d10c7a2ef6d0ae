import { Limit } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { duration, figure, limitText, moment, period } from './figures.js';

describe('figures', () => {
  it('part thousands, and keep what is below zero', () => {
    expect([0, 999, 1_000, -1_234_567, 1_000_000_000_000].map(figure)).toEqual(['0', '999', '1,000', '-1,234,567', '1,000,000,000,000']);
  });
});

describe('a duration', () => {
  it.each([
    [0, '0 ms'],
    [0.2, '1 ms'],
    [999, '999 ms'],
    [1_000, '1 s'],
    [1_501, '1.6 s'],
    [59_900, '59.9 s'],
    [60_000, '1 min'],
    [125_000, '2 min 5 s'],
    [3_600_000, '1 h'],
    [12_000_000, '3 h 20 min'],
    [86_400_000, '1 d'],
    [90_000_000, '1 d 1 h'],
  ])('of %d ms reads %j: rounded up, since waiting less would not do', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});

describe('a limit', () => {
  it('reads as it is typed where its period has a name, and in words where it has none', () => {
    const odd = Limit.of({ name: 'burst', refill: 10, periodMs: 250, capacity: 40 });

    expect(limitText(Limit.perMinute('rpm', 500))).toBe('rpm:500/min');
    expect(limitText(Limit.perMinute('tpm', 800, { capacity: 900 }))).toBe('tpm:800/min:900');
    expect(limitText(odd)).toBe('burst:10/250 ms:40');
    expect(limitText(Limit.of({ name: 'five', refill: 10, periodMs: 300_000 }))).toBe('five:10/5 min');
  });

  it('has a period in the largest unit that divides it', () => {
    expect([250, 1_000, 60_000, 300_000, 3_600_000, 86_400_000, 604_800_000].map(period)).toEqual([
      '250 ms',
      'sec',
      'min',
      '5 min',
      'hour',
      'day',
      '7 day',
    ]);
  });
});

describe('a moment', () => {
  it('is in UTC, to the second, as --from reads it', () => {
    expect(moment(new Date(Date.UTC(2026, 4, 1, 8, 0, 1, 999)))).toBe('2026-05-01T08:00:01Z');
  });
});
