import { terminalTable } from '../../plan/tables.js';
import { type BenchResult, GOALS } from './bench.js';

/** Whether an acquire takes no more of k6 than it may. */
export function goalsMet({ cpuRatio, shared }: BenchResult): { readonly cpu: boolean; readonly memory: boolean } {
  return { cpu: cpuRatio <= GOALS.cpuRatio, memory: shared.mbPerCaller <= GOALS.mbPerCaller };
}

/** What was measured as text for a terminal, and each goal with what came of it. */
export function renderBench(result: BenchResult): string {
  const { bare, acquire, shared, cpuRatio, sharedCpuRatio } = result;
  const row = (name: string, us: number, ratio: number, mb: number): readonly string[] => {
    return [name, us.toFixed(0), ratio.toFixed(2), mb.toFixed(2)];
  };
  const rows = [
    row('a signed request', bare.cpuUs, 1, bare.mbPerUser),
    row('an acquire, one caller', acquire.cpuUs, cpuRatio, acquire.mbPerUser),
    row(`an acquire, ${shared.callers} callers`, shared.cpuUs, sharedCpuRatio, shared.mbPerCaller),
  ];
  const { cpu, memory } = goalsMet(result);
  const goals = [
    `${said(cpu)}: at most ${GOALS.cpuRatio.toFixed(2)} times the request with one caller (400 us where that takes 75)`,
    `${said(memory)}: at most ${GOALS.mbPerCaller} MB for each of ${shared.callers} callers in a user`,
  ];
  return `${terminalTable({ head: ['in k6', 'CPU us', 'times', 'MB a caller'], rows })}${goals.map((goal) => `  ${goal}\n`).join('')}`;
}

function said(isMet: boolean): string {
  return isMet ? 'met' : 'missed';
}
