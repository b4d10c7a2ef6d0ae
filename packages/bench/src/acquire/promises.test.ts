import { describe, expect, it } from 'vitest';
import { type Cell, type Row, rowOf } from '../measure/cell.js';
import type { ContestantName, Measurement } from '../processes/protocol.js';
import { promisesOf } from './promises.js';

const RUN: Measurement = {
  calls: 1_000,
  admitted: 1_000,
  elapsedMs: 1_000,
  cpuUs: 500_000,
  p50Ms: 1,
  p99Ms: 2,
  requests: 1_000,
  readUnits: 0,
  writeUnits: 1_000,
  inversions: 0,
};

function row(cell: Partial<Cell>, contestant: ContestantName, run: Partial<Measurement>): Row {
  return rowOf({ caseName: 'hot', callers: 64, roundTripMs: 5, ...cell }, contestant, [{ ...RUN, ...run }]);
}

/** What became of the promises whose text contains this. */
function kept(evidence: Parameters<typeof promisesOf>[0], part: string): (boolean | undefined)[] {
  return promisesOf(evidence)
    .filter(({ promise }) => promise.includes(part))
    .map((each) => each.kept);
}

describe('a row', () => {
  it('has medians of what varies, and shares over all repetitions of what was sent', () => {
    const cell = { caseName: 'hot', callers: 1, roundTripMs: 0 } as const;
    const runs = [
      RUN,
      { ...RUN, calls: 4_000, requests: 0, cpuUs: 4_000_000, p50Ms: 9 },
      { ...RUN, elapsedMs: 500, p50Ms: 2, inversions: 3 },
    ];

    expect(rowOf(cell, 'millrace', runs)).toEqual({
      ...cell,
      contestant: 'millrace',
      perSecond: 2_000,
      admittedPerSecond: 1_000,
      cpuUsPerCall: 500,
      p50Ms: 2,
      p99Ms: 2,
      requestsPerCall: 2_000 / 6_000,
      writeUnitsPerCall: 0.5,
      readUnitsPerCall: 0,
      inversions: 3,
    });
  });
});

describe('the promises', () => {
  it('are neither kept nor broken where nothing was measured', () => {
    expect(promisesOf({ rows: [] }).map((each) => each.kept)).not.toContain(true);
    expect(promisesOf({ rows: [] }).map((each) => each.kept)).not.toContain(false);
  });

  it('judge a hot key by its writes, its rate and its order', () => {
    const loop = row({ callers: 1 }, 'bare-sdk', { calls: 100 });

    const good = { rows: [loop, row({}, 'millrace', { writeUnits: 100 })] };
    expect(kept(good, 'acquires per write')).toEqual([true]);
    expect(kept(good, 'one write after the other')).toEqual([true]);
    expect(kept(good, 'order of calls')).toEqual([true]);

    const bad = { rows: [loop, row({}, 'millrace', { calls: 999, writeUnits: 100, inversions: 1 })] };
    expect(kept(bad, 'acquires per write')).toEqual([false]);
    expect(kept(bad, 'one write after the other')).toEqual([false]);
    expect(kept(bad, 'order of calls')).toEqual([false]);
  });

  it('judge an exhausted key by the rate of as many bare loops, and by its requests', () => {
    const rows = [row({ caseName: 'exhausted' }, 'bare-sdk', {}), row({ caseName: 'exhausted' }, 'millrace', { calls: 99_000 })];
    const probing = { callsBetween: 1_000, requestsBetween: 0, requestsAtRefill: [1, 1] };

    expect(kept({ rows }, 'exhausted key, 64')).toEqual([false]);
    expect(kept({ rows, probing }, 'until the refill')).toEqual([true]);
    expect(kept({ rows, probing: { ...probing, requestsBetween: 1 } }, 'until the refill')).toEqual([false]);
    expect(kept({ rows, probing: { ...probing, requestsAtRefill: [1, 2] } }, 'until the refill')).toEqual([false]);
    expect(kept({ rows, probing: { ...probing, requestsAtRefill: [] } }, 'until the refill')).toEqual([false]);
  });

  it('judge distinct keys by the CPU of the lean transport only', () => {
    const cell = { caseName: 'distinct', roundTripMs: 0 } as const;
    const bare = row(cell, 'bare-sdk', {});

    expect(kept({ rows: [bare, row(cell, 'millrace', { cpuUs: 1 })] }, 'distinct')).toEqual([undefined]);
    expect(kept({ rows: [bare, row(cell, 'millrace-lean', { cpuUs: 100_000 })] }, 'distinct')).toEqual([true]);
    expect(kept({ rows: [bare, row(cell, 'millrace-lean', { cpuUs: 101_000 })] }, 'distinct')).toEqual([false]);
  });

  it('judge the bound to the token, and its order', () => {
    const exactness = { admitted: 10, rejected: 5, bound: 10, inversions: 0 };

    expect(kept({ rows: [], exactness }, 'capacity + rate')).toEqual([true]);
    expect(kept({ rows: [], exactness: { ...exactness, admitted: 11 } }, 'capacity + rate')).toEqual([false]);
    expect(kept({ rows: [], exactness: { ...exactness, inversions: 1 } }, 'capacity + rate')).toEqual([false]);
  });
});
