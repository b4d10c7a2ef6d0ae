import type { Found } from './efficiency.js';
import { figure, markdownTable, NOTHING, type Table, terminalTable } from './tables.js';

/** What the search was made of. */
export interface Tuned extends Found {
  readonly scenario: string;
  /** Where the worker ran. */
  readonly runtime: string;
  readonly startedAt: string;
}

/** Users for whom it is said how many workers they take. */
const WANTED = [100, 500, 1_000] as const;

/** The capacity of one worker: users, rate, CPU, p50 and p95. */
function capacityTable({ steps, threshold }: Tuned): Table {
  const rows = steps.map(({ users, perSecond, cpuPercent, p50, p95, efficiency }) => [
    `${users}`,
    figure(perSecond),
    cpuPercent === undefined ? NOTHING : `${cpuPercent.toFixed(0)} %`,
    figure(p50),
    figure(p95),
    `${(100 * efficiency).toFixed(0)} %${efficiency >= threshold ? '' : ' ✗'}`,
  ]);
  return { head: ['users', 'per second', 'CPU', 'p50 ms', 'p95 ms', 'efficiency'], rows };
}

/** How many workers carry so many users. */
export function workersFor({ users }: Found, wanted: number): number {
  return Math.ceil(wanted / users);
}

function verdict({ users, threshold, isBound, baseline }: Tuned): string {
  const many = users === 1 ? '1 user' : `${users} users`;
  const carried = isBound ? `${many}, and perhaps more, as no more were tried` : many;
  return `One worker carries ${carried}: at ${(100 * threshold).toFixed(0)} % efficiency or above, against the ${figure(baseline.p50)} ms of one user alone.`;
}

function advice(tuned: Tuned): string {
  const said = WANTED.map((wanted) => `${wanted} users take ${workersFor(tuned, wanted)}`);
  return `Workers: ${said.join(', ')}.`;
}

/** The capacity as text for a terminal. */
export function renderCapacity(tuned: Tuned): string {
  const { scenario, runtime } = tuned;
  return `${scenario}, one worker, ${runtime}\n\n${terminalTable(capacityTable(tuned))}\n${verdict(tuned)}\n${advice(tuned)}\n`;
}

/** The capacity as markdown. */
export function capacityMarkdown(tuned: Tuned): string {
  const { scenario, runtime, startedAt } = tuned;
  const title = `# Capacity of one worker: ${scenario}, ${runtime}\n\nStarted ${startedAt}.\n`;
  return `${title}\n${markdownTable(capacityTable(tuned))}\n${verdict(tuned)}\n${advice(tuned)}\n`;
}
