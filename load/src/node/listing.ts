import { SCENARIOS } from '../../scenarios/index.js';
import { summaryOf } from '../plan/compare.js';
import { figure, NOTHING, terminalTable } from '../plan/tables.js';
import type { ListedRun } from './results.js';

/** The scenarios, and the question that each asks. */
export function scenarioListing(): string {
  const width = Math.max(...SCENARIOS.map(({ name }) => name.length));
  return SCENARIOS.map(({ name, question }) => `${name.padEnd(width)}  ${question}\n`).join('');
}

/** What is told of scenarios to programs. */
export function scenarioDocument(): object {
  return SCENARIOS.map(({ name, question, sizes, cascades }) => ({ name, question, cascades, ...sizes }));
}

const HEAD = ['run', 'runtime', 'users', 'asked per second', 'p50 ms', 'p95 ms', 'outcome'];

/** What ran, newest first. */
export function runListing(runs: readonly ListedRun[], results: string): string {
  if (runs.length === 0) return `no runs in ${results}\n`;
  return terminalTable({ head: HEAD, rows: runs.map(rowOf) });
}

function rowOf({ run, report, state }: ListedRun): readonly string[] {
  if (report === undefined) {
    const said = state === 'running' ? 'running' : 'no report: it was killed, or could not be made';
    return [run, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, said];
  }
  const { runtime, users, perSecond, p50, p95, outcome } = summaryOf(run, report);
  const ms = (value: number | undefined): string => (value === undefined ? NOTHING : figure(value));
  return [run, runtime, `${users}`, figure(perSecond), ms(p50), ms(p95), outcome];
}

/** The same for programs. */
export function runDocument(runs: readonly ListedRun[]): object {
  return runs.map(({ run, folder, state, report }) => ({
    run,
    folder,
    state,
    ...(report === undefined ? {} : { startedAt: report.startedAt, summary: summaryOf(run, report) }),
  }));
}
