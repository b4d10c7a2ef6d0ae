import { Limit } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { atLeast, fewDropped, mostAdmitted, neverAbove } from './bounds.js';

const limit = Limit.perMinute('rpm', 600, { capacity: 100 });

describe('a bound', () => {
  it('is the capacity and what flows, rounded up to the last token', () => {
    expect(mostAdmitted(limit, 0)).toBe(100);
    expect(mostAdmitted(limit, 1_000)).toBe(110);
    expect(mostAdmitted(limit, 1_001)).toBe(111);
  });

  it('on what is taken holds for one bucket of each limit, over all that a run can last', () => {
    const one = neverAbove([limit], { durationMs: 60_000 });

    expect(one).toEqual({ metric: 'taken_rpm', stat: 'count', op: '<=', value: 100 + 10 * 95 });
    expect(neverAbove([limit, limit], { durationMs: 60_000 }).value).toBe(2 * one.value);
  });

  it('from below is asked only of a load that wants more than there is', () => {
    const settings = { durationMs: 10_000, callers: 1 };

    expect(atLeast(limit, { ...settings, perSecond: 30 }, 0.9)).toEqual([{ metric: 'taken_rpm', stat: 'count', op: '>=', value: 180 }]);
    expect(atLeast(limit, { ...settings, perSecond: 29 }, 0.9)).toEqual([]);
    expect(atLeast(limit, { ...settings, perSecond: 15, callers: 2 }, 0.9)).toHaveLength(1);
    expect(atLeast(limit, settings, 0.9)).toEqual([]);
  });

  it('on dropped turns is one of an open model', () => {
    expect(fewDropped({ durationMs: 10_000 })).toEqual([]);
    expect(fewDropped({ durationMs: 10_000, perSecond: 55 })).toMatchObject([{ metric: 'dropped_iterations', value: 5 }]);
  });
});
