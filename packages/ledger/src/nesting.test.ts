import type { WindowType } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import type { UsageWindowItem } from './change.js';
import { findNestingGaps } from './nesting.js';

const DAY = '2027-01-15T00:00:00Z';
const bucket = { namespaceId: 'ns1', entity: 'key-1', resource: 'gpt-4', shard: 0 };
const nesting = { part: 'hour', whole: 'day', zone: 'UTC', sinceMs: 0, nowMs: Date.parse('2027-01-15T20:30:00Z') } as const;

function windowOf(type: WindowType, start: string, from: number, to: number): UsageWindowItem {
  const step = { used: { from: BigInt(from), to: BigInt(to) }, returned: { from: 0n, to: 0n }, isBirth: from === 0 };
  const ref = { bucket, eraUs: 7, type, startMs: Date.parse(start) };
  return { ref, seq: { from, to }, limits: new Map([['rpm', step]]) };
}

/** What is missing, a line for each. */
const missing = (...windows: readonly UsageWindowItem[]) =>
  findNestingGaps(windows, nesting).map(({ ref, change }) => {
    const { used } = change.limits.get('rpm') ?? { used: { from: 0n, to: 0n } };
    return `${ref.type} ${new Date(ref.startMs).toISOString().slice(11, 16)} ${used.from} to ${used.to}`;
  });

const [early, late] = [windowOf('hour', '2027-01-15T08:00:00Z', 10, 20), windowOf('hour', '2027-01-15T10:00:00Z', 20, 35)];

describe('windows and the longer one around them', () => {
  it('lack nothing that they have together', () => {
    expect(missing(early, late, windowOf('day', DAY, 10, 35))).toEqual([]);
  });

  it('lack before the first and behind the last what only the longer one has', () => {
    expect(missing(early, late, windowOf('day', DAY, 4, 35))).toEqual(['hour 08:00 4 to 10']);
    expect(missing(early, late, windowOf('day', DAY, 10, 40))).toEqual(['hour 10:00 35 to 40']);
    expect(missing(early, late, windowOf('day', DAY, 0, 40))).toEqual(['hour 08:00 0 to 10', 'hour 10:00 35 to 40']);
  });

  it('lack all of it where there is none: it goes into the last that has begun', () => {
    expect(missing(windowOf('day', DAY, 0, 40))).toEqual(['hour 20:00 0 to 40']);
  });

  it('have what the longer one lacks, or does not know at all', () => {
    expect(missing(early, late, windowOf('day', DAY, 15, 30))).toEqual(['day 00:00 10 to 35']);
    expect(missing(early, late)).toEqual(['day 00:00 10 to 35']);
  });

  it('are compared only where both are still kept', () => {
    expect(findNestingGaps([early, late], { ...nesting, sinceMs: Date.parse(DAY) + 1 })).toEqual([]);
  });
});
