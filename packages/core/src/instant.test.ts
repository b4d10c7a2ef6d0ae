import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instantMs, instantText } from './instant.js';

const inSeconds = (text: string): string => text.replace('.000Z', 'Z');
/** From the year 0 to the year 9999, in whole seconds. */
const anySecond = fc.integer({ min: -62_167_219_200, max: 253_402_300_799 });

describe('a moment as text', () => {
  it('is what the calendar of the language says', () => {
    fc.assert(
      fc.property(anySecond, (sec) => instantText(sec * 1_000) === inSeconds(new Date(sec * 1_000).toISOString())),
      { numRuns: 20_000 },
    );
  });

  it.each(['2024-02-29T00:00:00Z', '2100-02-28T23:59:59Z', '2000-02-29T12:00:00Z', '1970-01-01T00:00:00Z', '2026-12-31T23:59:59Z'])(
    'of %s is read back',
    (text) => {
      expect(instantText(instantMs(text) ?? Number.NaN)).toBe(text);
    },
  );

  it('is read back, whatever it is', () => {
    fc.assert(fc.property(anySecond, (sec) => instantMs(instantText(sec * 1_000)) === sec * 1_000));
  });

  it('has no fraction of a second: it is the second that the moment lies in', () => {
    expect([instantText(999), instantText(-1)]).toEqual(['1970-01-01T00:00:00Z', '1969-12-31T23:59:59Z']);
  });

  it('sorts as time does', () => {
    fc.assert(fc.property(anySecond, anySecond, (a, b) => instantText(a * 1_000) < instantText(b * 1_000) === a < b));
  });

  it.each(['', '2027', '2027-01-15', '2027-02-30T00:00:00Z', '2027-13-01T00:00:00Z', '2027-01-15T24:00:00Z', '2027-01-15T08:00:00.5Z'])(
    'is not "%s"',
    (text) => {
      expect(instantMs(text)).toBeUndefined();
    },
  );
});
