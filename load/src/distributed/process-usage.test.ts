import { describe, expect, it } from 'vitest';
import { psLine, usageBetween } from './process-usage.js';

describe('what a process takes', () => {
  it('is its share of a core between two looks', () => {
    const usage = usageBetween({ atMs: 1_000, cpuMs: 500, peakMb: 40 }, { atMs: 3_000, cpuMs: 3_500, peakMb: 60 });

    expect(usage).toEqual({ cpuMs: 3_500, peakMb: 60, cpuPercent: 150 });
    expect(usageBetween({ atMs: 1, cpuMs: 5, peakMb: 1 }, { atMs: 1, cpuMs: 5, peakMb: 1 }).cpuPercent).toBeUndefined();
  });

  it.each([
    ['  0:01.23  2048', 1_230],
    ['01:02:03 2048', 3_723_000],
    ['2-01:00:00 2048', 176_400_000],
  ])('is read of ps where there is no /proc: %j', (line, cpuMs) => {
    expect(psLine(line)).toEqual({ cpuMs, peakMb: 2 });
  });

  it('is nothing where ps knows no such process', () => {
    expect(psLine('')).toBeUndefined();
    expect(psLine('ps: no such process')).toBeUndefined();
  });
});
