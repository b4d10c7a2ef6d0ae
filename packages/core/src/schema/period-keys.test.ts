import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyName } from '../../test/any-name.js';
import {
  type OpenPeriod,
  openPeriodKey,
  openPeriodsUntil,
  parseOpenPeriod,
  parseUncheckedPeriod,
  uncheckedPeriodKey,
  uncheckedPeriodsUntil,
} from './period-keys.js';
import { sealKey, usageKey, WINDOW_TYPES } from './usage-keys.js';

const sec = fc.integer({ min: 1_700_000_000, max: 1_900_000_000 });
const anyPeriod: fc.Arbitrary<OpenPeriod> = fc
  .record({ namespaceId: fc.stringMatching(/^[0-9a-z]{1,12}$/), resource: anyName, type: fc.constantFrom(...WINDOW_TYPES), sec })
  .map(({ sec: startSec, ...rest }) => ({ ...rest, startMs: startSec * 1_000, endMs: (startSec + 3_600) * 1_000 }));

describe('the mark of a period that is to be sealed', () => {
  it('names it, first of all by its end', () => {
    const [startMs, endMs] = [Date.parse('2027-01-15T08:00:00Z'), Date.parse('2027-01-15T09:00:00Z')];

    expect(openPeriodKey({ namespaceId: 'n1', resource: 'openai/gpt-4', type: 'hour', startMs, endMs })).toEqual({
      partition: 'n1/open',
      sort: '2027-01-15T09:00:00Z/hour/2027-01-15T08:00:00Z/openai%2Fgpt-4',
    });
  });

  it('is read back as what it was made of', () => {
    fc.assert(
      fc.property(anyPeriod, (period) => {
        expect(parseOpenPeriod(openPeriodKey(period))).toEqual(period);
      }),
    );
  });

  it('lies before the end of a range exactly if the period ended by then', () => {
    fc.assert(
      fc.property(anyPeriod, fc.integer({ min: -2, max: 2 }), (period, offset) => {
        const untilMs = period.endMs + offset * 1_000;
        expect(openPeriodKey(period).sort <= openPeriodsUntil(period.namespaceId, untilMs).to).toBe(period.endMs <= untilMs);
      }),
    );
  });

  it('is no key of anything else', () => {
    const bucket = { namespaceId: 'n1', entity: 'key-1', resource: 'gpt-4', shard: 0 };

    expect(parseOpenPeriod(usageKey({ bucket, eraUs: 0, type: 'hour', startMs: 0 }))).toBeUndefined();
    expect(parseOpenPeriod(sealKey('n1', 'hour', 'gpt-4', 0))).toBeUndefined();
    expect(parseOpenPeriod({ partition: 'n1/open', sort: '2027-01-15T09:00:00Z/year/2027-01-15T08:00:00Z/x' })).toBeUndefined();
    expect(parseOpenPeriod({ partition: 'n1/open', sort: '2027-01-15T09:00:00Z/hour/today/x' })).toBeUndefined();
  });
});

describe('the mark of a period whose ledger is to be checked', () => {
  it('is read back as what it was made of, lies where all of them do, and is no mark of one that is to be sealed', () => {
    fc.assert(
      fc.property(anyPeriod, (period) => {
        const key = uncheckedPeriodKey(period);

        expect(parseUncheckedPeriod(key)).toEqual(period);
        const until = uncheckedPeriodsUntil(period.namespaceId, period.endMs);
        expect(key.partition).toBe(until.partition);
        expect(key.sort <= until.to).toBe(true);
        expect(key.sort <= uncheckedPeriodsUntil(period.namespaceId, period.endMs - 1_000).to).toBe(false);
        expect(parseOpenPeriod(key)).toBeUndefined();
        expect(parseUncheckedPeriod(openPeriodKey(period))).toBeUndefined();
      }),
    );
  });
});
