import type { CaseName } from '../contestants/contestant.js';
import type { Row } from '../measure/cell.js';
import type { ContestantName } from '../processes/protocol.js';
import { type BarChart, barCharts } from '../render/svg.js';

/** One colour for each, the same in every plot; readable on white and on near-black. */
const COLOURS: Readonly<Record<ContestantName, string>> = {
  'bare-sdk': '#8a8f98',
  'rate-limiter-flexible': '#c08a1e',
  'zae-limiter': '#8e6bd0',
  millrace: '#2f81d6',
  'millrace-lean': '#1f9d78',
};

/** Short enough to stand above half a page. */
const NAMES: Readonly<Record<CaseName, string>> = {
  distinct: 'Distinct keys',
  hot: 'Hot key',
  exhausted: 'Exhausted key',
  cascade: 'Cascade of two levels',
  'two-limits': 'Two limits',
  available: 'Looking',
};

/** Rate and CPU of every case that was measured, by callers, at the longest round trip that was. */
export function acquireSvg(rows: readonly Row[]): string {
  const roundTripMs = Math.max(...rows.map((row) => row.roundTripMs));
  const there = rows.filter((row) => row.roundTripMs === roundTripMs);
  const cases = [...new Set(there.map(({ caseName }) => caseName))];
  const charts = cases.flatMap((caseName) => [
    chart(there, caseName, `${NAMES[caseName]}: calls per second`, ({ perSecond }) => perSecond),
    chart(there, caseName, `${NAMES[caseName]}: client CPU, µs per call`, ({ cpuUsPerCall }) => cpuUsPerCall),
  ]);
  const series = [...new Set(there.map(({ contestant }) => contestant))].map((name) => ({ name, colour: COLOURS[name] }));
  return barCharts({
    title: `Calls per second and CPU by callers, round trip + ${roundTripMs} ms; scales are logarithmic`,
    series,
    charts,
  });
}

function chart(rows: readonly Row[], caseName: CaseName, title: string, measure: (row: Row) => number): BarChart {
  const ofCase = rows.filter((row) => row.caseName === caseName);
  const groups = [...new Set(ofCase.map(({ callers }) => callers))];
  return {
    title,
    groups: groups.map((callers) => ({
      label: callers === 1 ? '1 caller' : `${callers} callers`,
      values: Object.fromEntries(ofCase.filter((row) => row.callers === callers).map((row) => [row.contestant, measure(row)])),
    })),
  };
}
