import { describe, expect, it } from 'vitest';
import { caseTable } from '../acquire/report.js';
import type { Row } from '../measure/cell.js';
import { type PublishedReport, tableAt } from './published-bench.js';
import { LATENCY, THROUGHPUT } from './tables.js';

function row(parts: Partial<Row>): Row {
  return {
    caseName: 'hot',
    callers: 1,
    roundTripMs: 0,
    contestant: 'bare-sdk',
    perSecond: 100,
    admittedPerSecond: 100,
    cpuUsPerCall: 400,
    p50Ms: 2,
    p99Ms: 4,
    requestsPerCall: 1,
    writeUnitsPerCall: 1,
    readUnitsPerCall: 0,
    inversions: 0,
    ...parts,
  };
}

function report(rows: readonly Row[]): PublishedReport {
  const machine = { cores: 2, cpu: 'a chip', node: 'v20', platform: 'linux x64' };
  const pace = { seconds: 1, warmupSeconds: 1, repetitions: 1 };
  return { bench: 'latency', unit: 'ms', callers: 32, server: 'stub', machine, pace, rows, absences: [] };
}

describe('a table beside published figures', () => {
  it('puts what was measured at this round trip before what was published, and a dash where nothing was', () => {
    const { titles, rows } = tableAt(
      LATENCY,
      report([row({}), row({ contestant: 'millrace', p50Ms: 3 }), row({ roundTripMs: 5, p50Ms: 9 })]),
      0,
    );

    expect(titles.slice(0, 4)).toEqual(['', 'bare-sdk', 'millrace', 'published: mock']);
    expect(rows[0]).toEqual(['acquire, one limit', '2', '3', '9', '43', '38', '15–20']);
    expect(rows[1]?.slice(0, 3)).toEqual(['acquire, two limits', '-', '-']);
  });

  it('tells sequential lines from concurrent ones', () => {
    const { rows } = tableAt(THROUGHPUT, report([row({ perSecond: 10 }), row({ callers: 32, perSecond: 320 })]), 0);

    expect(rows.map(([title, measured]) => [title, measured]).filter(([, measured]) => measured !== '-')).toEqual([
      ['sequential, one entity', '10'],
      ['concurrent, one entity', '320'],
    ]);
  });
});

describe('a table of a case', () => {
  it('has ratios to the bare SDK of the same cell, and a dash where it did not run', () => {
    const { rows } = caseTable(
      [row({}), row({ contestant: 'millrace', perSecond: 250, cpuUsPerCall: 100 }), row({ callers: 2, contestant: 'millrace' })],
      'hot',
    );

    expect(rows.map((cells) => [cells[2], cells[4], cells[6]])).toEqual([
      ['bare-sdk', '1×', '1×'],
      ['millrace', '2.5×', '0.25×'],
      ['millrace', '-', '-'],
    ]);
  });
});
