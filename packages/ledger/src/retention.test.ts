import { WINDOW_TYPES, type WindowRef } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { checkRetention, expiresSec, LEAST_RETENTION, leastSealedRetention } from './retention.js';
import { windowOf } from './windows.js';

const HOUR_MS = 3_600_000;

describe('a retention', () => {
  it('may be of any types', () => {
    expect(checkRetention({ hour: 3, month: 3_650 })).toEqual({ hour: 3, month: 3_650 });
    expect(checkRetention(LEAST_RETENTION)).toEqual(LEAST_RETENTION);
  });

  it.each([
    [{ year: 1 }, /^retention key must be one of hour, day, week, month, got "year"$/],
    [{ hour: 2 }, /^retention of "hour", in days, must be a whole number from 3 to 36500, got 2$/],
    [{ day: 2 }, /from 3 to 36500, got 2$/],
    [{ week: 9 }, /from 10 to 36500, got 9$/],
    [{ month: 33 }, /from 34 to 36500, got 33$/],
    [{ day: 3.5 }, /got 3.5$/],
    ['90', /^retention must be an object, got "90"$/],
  ])('is not %j', (value, message) => {
    expect(() => checkRetention(value)).toThrow(message);
  });

  it.each(WINDOW_TYPES)('ends no %s before its day is over, the stream has none of it any more, and it could be sealed', (type) => {
    const bucket = { namespaceId: 'ns1', entity: 'key-1', resource: 'gpt-4', shard: 0 };
    // Months of every length, and both changes of clocks.
    for (let atMs = Date.UTC(2027, 0, 1); atMs < Date.UTC(2028, 0, 1); atMs += 12 * HOUR_MS) {
      const { startMs, endMs } = windowOf(atMs, 'Europe/Berlin', type);
      const dayEndMs = windowOf(endMs - 1, 'Europe/Berlin', 'day').endMs;
      const ref: WindowRef = { bucket, eraUs: 0, type, startMs };

      // A day for the stream, and some hours for a schedule that failed a few times.
      expect(expiresSec(ref, LEAST_RETENTION)).toBeGreaterThanOrEqual((dayEndMs + 30 * HOUR_MS) / 1_000);
      for (const lateMs of [0, 24, 25, 48, 168].map((hours) => hours * HOUR_MS)) {
        const kept = { [type]: leastSealedRetention(type, lateMs) };
        expect(expiresSec(ref, kept)).toBeGreaterThanOrEqual((endMs + lateMs + 6 * HOUR_MS) / 1_000);
      }
    }
  });
});
