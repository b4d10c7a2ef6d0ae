import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refusal } from '../test/refusal.js';
import { ValidationError } from './errors.js';
import { Limit } from './limit.js';

describe('the short form of a limit', () => {
  it.each([
    ['rpm:1000/min', Limit.perMinute('rpm', 1000)],
    ['rpm:1000/min:1500', Limit.perMinute('rpm', 1000, { capacity: 1500 })],
    ['rps:5/s', Limit.perSecond('rps', 5)],
    ['rps:5/sec', Limit.perSecond('rps', 5)],
    ['rph:5/h', Limit.perHour('rph', 5)],
    ['rph:5/hour', Limit.perHour('rph', 5)],
    ['rpd:5/d', Limit.perDay('rpd', 5)],
    ['tokens-per_Day9:5/day:1', Limit.perDay('tokens-per_Day9', 5, { capacity: 1 })],
  ])('%s is read', (text, limit) => {
    expect(Limit.parse(text)).toStrictEqual(limit);
  });

  it.each([
    '',
    'rpm',
    'rpm:',
    'rpm:5',
    'rpm:5/',
    'rpm:5/week',
    'rpm:5/m',
    'rpm:5/min:',
    'rpm:-5/min',
    'rpm:5.5/min',
    'rpm:1e3/min',
    'rpm:0x5/min',
    ' rpm:5/min',
    'rpm:5/min ',
    'rpm:5/min\n',
    'rpm:5/min:5:5',
    '5/min',
    ':5/min',
    'r pm:5/min',
    'rpm:٥/min',
    `rpm:${10 ** 13}0/min`,
    5,
    null,
    undefined,
    ['rpm:5/min'],
  ])('%j is not one', (text) => {
    const error = refusal(() => Limit.parse(text as string));

    expect(error.message).toContain(
      'written as name:tokens/period or name:tokens/period:capacity (rpm:1000/min:1500), the period being sec, min, hour, day, got ',
    );
  });

  it.each(['rpm:0/min', 'rpm:5/min:0', 'rps:9999999999/s', `${'x'.repeat(33)}:5/min`])('%s is refused for what it says', (text) => {
    expect(() => Limit.parse(text)).toThrow(ValidationError);
  });

  it('reads back what it writes', () => {
    const anyPeriodMs = fc.constantFrom(1000, 60_000, 3_600_000, 86_400_000);
    const anyName = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,31}$/);
    const anyTokens = fc.integer({ min: 1, max: 1_000_000 });

    const readsBack = fc.property(
      anyName,
      anyPeriodMs,
      anyTokens,
      fc.integer({ min: 1, max: 7000 }),
      (name, periodMs, refill, capacity) => {
        const limit = Limit.of({ name, refill, periodMs, capacity });
        expect(Limit.parse(Limit.format(limit))).toStrictEqual(limit);
      },
    );

    fc.assert(readsBack, { numRuns: 2_000 });
  });

  it('is refused where a period has no name', () => {
    const error = refusal(() => Limit.format(Limit.of({ name: 'burst', refill: 10, periodMs: 250 })));

    expect(error.message).toBe('limit "burst": periodMs must be a second, minute, hour or day to have a short form, got 250');
  });
});
