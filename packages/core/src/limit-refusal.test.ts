import { describe, expect, it } from 'vitest';
import { refusal } from '../test/refusal.js';
import { ValidationError } from './errors.js';
import { Limit } from './limit.js';

describe('a limit is refused', () => {
  const inexact = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 10 ** 12 + 1, '5', 5n, null, undefined, {}, [5], true];

  it.each(inexact)('with a rate of %s', (tokens) => {
    expect(() => Limit.perMinute('rpm', tokens as number)).toThrow(ValidationError);
  });

  it.each(inexact.filter((value) => value !== undefined && value !== null))('with a capacity of %s', (capacity) => {
    expect(() => Limit.perMinute('rpm', 5, { capacity: capacity as number })).toThrow(ValidationError);
  });

  it.each([...inexact.slice(0, 6), 366 * 86_400_000 + 1])('with a period of %s', (periodMs) => {
    expect(() => Limit.of({ name: 'x', refill: 1, periodMs: periodMs as number })).toThrow(ValidationError);
  });

  it.each([-0.01, 0.51, Number.NaN, '0.1', {}])('with a reserve of %s', (reserve) => {
    expect(() => Limit.perMinute('rpm', 5, { reserve: reserve as number })).toThrow(ValidationError);
  });

  it.each(['', '1st', 'a b', 'a.b', 'a/b', 'a"b', 'é', '-a', 'a\n', 'x'.repeat(33), 7, undefined])('with the name %j', (name) => {
    expect(() => Limit.perMinute(name as string, 5)).toThrow(ValidationError);
  });

  it.each([
    [
      'a value, what is wanted and what came',
      () => Limit.perMinute('rpm', 1.5),
      'limit "rpm": refill must be a whole number from 1 to 1000000000000, got 1.5',
    ],
    [
      'a string that came for a number',
      () => Limit.perMinute('rpm', '5' as never),
      'limit "rpm": refill must be a whole number from 1 to 1000000000000, got "5"',
    ],
    [
      'the bounds of a reserve',
      () => Limit.perMinute('rpm', 5, { reserve: 2 }),
      'limit "rpm": reserve must be a share from 0 to 0.5, got 2',
    ],
    [
      'a name',
      () => Limit.perMinute('r p m', 5),
      'limit name must be a letter followed by at most 31 letters, digits, "_" or "-", got "r p m"',
    ],
    [
      'a misspelt option',
      () => Limit.perMinute('rpm', 5, { capcity: 5 } as never),
      'limit "rpm": options key must be one of capacity, reserve, got "capcity"',
    ],
    [
      'an unknown part',
      () => Limit.of({ name: 'rpm', refill: 1, period: 60 } as never),
      'limit key must be one of name, refill, periodMs, capacity, reserve, got "period"',
    ],
    ['options that are none', () => Limit.perMinute('rpm', 5, 7 as never), 'limit "rpm": options must be an object, got 7'],
    ['no definition', () => Limit.of(undefined as never), 'limit must be an object, got undefined'],
    [
      'too fast a rate',
      () => Limit.perSecond('rps', 10 ** 9 + 1),
      'limit "rps": rate must be at most 1000000000 tokens a second, got 1000000001',
    ],
    [
      'too slow to fill',
      () => Limit.perDay('rpd', 1, { capacity: 7321 }),
      'limit "rpd": capacity must be refilled by its rate within 20 years, got 7321',
    ],
  ])('with a message that says %s', (_, attempt, message) => {
    expect(refusal(attempt).message).toBe(message);
  });

  it('with the subject, the value and what was expected as data', () => {
    const error = refusal(() => Limit.perMinute('rpm', -1));

    expect(error).toMatchObject({
      code: 'VALIDATION',
      subject: 'limit "rpm": refill',
      value: -1,
      expected: 'a whole number from 1 to 1000000000000',
    });
  });

  it('only beyond the bounds: 20 years to fill are accepted', () => {
    const limit = Limit.perDay('rpd', 1, { capacity: 7320 });

    expect(limit.capacity).toBe(7320);
  });
});
