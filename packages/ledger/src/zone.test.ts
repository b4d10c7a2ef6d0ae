import { describe, expect, it } from 'vitest';
import { checkZone, DEFAULT_ZONE, isSameZone } from './zone.js';

describe('a zone', () => {
  it.each([DEFAULT_ZONE, 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+3'])('may be %s', (zone) => {
    expect(checkZone(zone)).toBe(zone);
  });

  it.each(['', 'Europe/Berlim', '+05:30', 'Mars/Base', ' UTC', 'UTC ', undefined, 5, 'x'.repeat(100)])('is not %j', (value) => {
    expect(() => checkZone(value)).toThrow(/^zone must be the name of an IANA time zone, such as "Europe\/Berlin", got /);
  });

  it.each([
    ['Asia/Kolkata', 'Asia/Calcutta', true],
    ['Etc/UTC', 'UTC', true],
    ['europe/berlin', 'Europe/Berlin', true],
    ['Europe/Berlin', 'Europe/Paris', false],
    ['Mars/Base', 'Mars/Base', true],
    ['Mars/Base', 'UTC', false],
  ])('%s is that of %s: %s', (one, other, isSame) => {
    expect([isSameZone(one, other), isSameZone(other, one)]).toEqual([isSame, isSame]);
  });

  it('is kept ready for a hundred of them, and asked for again beyond that', () => {
    const all = Intl.supportedValuesOf('timeZone');

    expect(all.length).toBeGreaterThan(300);
    expect(all.map(checkZone)).toEqual(all);
  });
});
