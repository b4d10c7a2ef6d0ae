import { describe, expect, it } from 'vitest';
import { parseAmounts } from './amounts.js';
import { parseInstant } from './instant.js';
import { parseLimits } from './limits.js';
import { pageNote, parsePage } from './page.js';
import { parseWhole } from './whole.js';

const NOW = Date.UTC(2026, 4, 8, 12);

describe('amounts', () => {
  it('are read as limit=tokens', () => {
    expect(parseAmounts(['rpm=1', 'tpm=800'])).toEqual({ rpm: 1, tpm: 800 });
  });

  it.each(['rpm', 'rpm=', '=1', 'rpm=-1', 'rpm=1.5', 'rpm=1e3', 'rpm= 1', 'rpm=1=2'])('refuse %j', (text) => {
    expect(() => parseAmounts([text])).toThrow('amount must be written as limit=tokens (rpm=1), got');
  });

  it('refuse a limit that is named twice: which one was meant?', () => {
    expect(() => parseAmounts(['rpm=1', 'rpm=2'])).toThrow('amount of "rpm" must be given once');
  });
});

describe('limits', () => {
  it('are taken from arguments and options together', () => {
    expect(parseLimits(['rpm:500/min'], undefined, ['tpm:8/sec:80']).map(({ name, capacity }) => [name, capacity])).toEqual([
      ['rpm', 500],
      ['tpm', 80],
    ]);
  });

  it('refuse none, a name that comes twice, and what is no limit', () => {
    expect(() => parseLimits([])).toThrow('limits must be an array of 1 to 10 limits');
    expect(() => parseLimits(['rpm:1/min'], ['rpm:2/min'])).toThrow('limits of different names');
    expect(() => parseLimits(['rpm=1'])).toThrow('limit must be written as name:tokens/period');
  });
});

describe('a moment', () => {
  it.each([
    ['2026-05-01', '2026-05-01T00:00:00.000Z'],
    ['2026-05-01T08:00', '2026-05-01T08:00:00.000Z'],
    ['2026-05-01T08:00:01.5Z', '2026-05-01T08:00:01.500Z'],
    ['2026-05-01T08:00+02:00', '2026-05-01T06:00:00.000Z'],
    ['90s', '2026-05-08T11:58:30.000Z'],
    ['30min', '2026-05-08T11:30:00.000Z'],
    ['2h', '2026-05-08T10:00:00.000Z'],
    ['7d', '2026-05-01T12:00:00.000Z'],
  ])('%j is %s, whatever the zone of this machine', (text, iso) => {
    expect(parseInstant('--from', text, NOW).toISOString()).toBe(iso);
  });

  it.each(['yesterday', '2026-13-01', '2026-5-1', '7', '7w', '', '-1d', '1777777777'])('refuses %j', (text) => {
    expect(() => parseInstant('--from', text, NOW)).toThrow('option "--from" must be a moment (2026-05-01');
  });
});

describe('a whole number', () => {
  it('is refused outside its bounds, and where it is none', () => {
    expect(parseWhole('--hold', '10', 1, 10)).toBe(10);
    for (const text of ['0', '11', '1.5', '-1', '', 'x', '0x1']) {
      expect(() => parseWhole('--hold', text, 1, 10)).toThrow('option "--hold" must be a whole number from 1 to 10, got');
    }
  });
});

describe('a page', () => {
  it('holds 100 unless told otherwise', () => {
    expect(parsePage({})).toEqual({ pageSize: 100 });
    expect(parsePage({ limit: '5', after: 'key-1' })).toEqual({ pageSize: 5, after: 'key-1' });
  });

  it('says how to go on, in words that a shell takes as they are', () => {
    expect(pageNote(undefined)).toEqual({});
    expect(pageNote('key-1')).toEqual({ note: 'more: go on with --after key-1' });
    expect(pageNote("it's me")).toEqual({ note: "more: go on with --after 'it'\\''s me'" });
  });
});
