import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { capacityMarkdown, type Tuned } from '../plan/capacity.js';
import { summaryOf } from '../plan/compare.js';
import { type SearchBounds, type Step, searchUsers } from '../plan/efficiency.js';
import { OUTCOME_EXIT, type Outcome } from '../plan/report.js';
import { figure } from '../plan/tables.js';
import { resultsFolder } from './package-root.js';
import type { TuneCommand } from './reading-arguments.js';
import { STEPS } from './results.js';
import { type EndedRun, runScenario } from './run-scenario.js';
import type { Surroundings } from './surroundings.js';

/** A measurement that is none: the search cannot go on. Its exit code is that of the run. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';
  readonly exitCode: number;

  constructor(outcome: Outcome, { folder }: EndedRun) {
    super(`a measurement was ${outcome}; its report is in ${folder}`);
    this.exitCode = OUTCOME_EXIT[outcome];
  }
}

/** A search that has ended, and where its files are. */
export interface EndedSearch {
  readonly tuned: Tuned;
  readonly folder: string;
}

/** Says which measurement is made. One user alone is the baseline, however often it has to be measured; steps are counted. */
function measurementLabels({ stepMs, mostSteps }: SearchBounds, say: Surroundings['say']): (users: number, durationMs: number) => string {
  let [baselines, steps] = [0, 0];
  return (users, durationMs) => {
    const sec = `${durationMs / 1_000} s`;
    if (users === 1) {
      baselines += 1;
      return `the baseline, 1 user, ${sec}${baselines === 1 ? '' : ', longer, as it made too few acquires'}`;
    }
    steps += 1;
    if (steps === 1 && durationMs > stepMs)
      say(`each step lasts ${sec}: one user took so long for a median, and of shorter steps its first turns would be the most`);
    return `step ${steps} of at most ${mostSteps}: ${users} users, ${sec}`;
  };
}

/** What a search does for one measurement; a test has another. */
export type RunOnce = typeof runScenario;

/**
 * Measures how many users one worker carries, each measurement a run of its own on a table of its own.
 *
 * @throws StepFailed where a run was not exact, partial or broken. A threshold of the scenario may fail: that is what is looked for.
 */
export async function tune(command: TuneCommand, surroundings: Surroundings, runOnce: RunOnce = runScenario): Promise<EndedSearch> {
  const { run, bounds } = command;
  const startedAt = new Date();
  const time = startedAt
    .toISOString()
    .replace(/[-:]|\..*/g, '')
    .replace('T', '-');
  const folder = join(resultsFolder(run.results), `tune-${run.scenario.name}-${time}-${randomBytes(2).toString('hex')}`);
  const results = join(folder, STEPS);
  await mkdir(results, { recursive: true });
  const { say } = surroundings;
  const labelOf = measurementLabels(bounds, say);
  const measure = async (users: number, durationMs: number): Promise<Step> => {
    const which = labelOf(users, durationMs);
    surroundings.show?.(which);
    const quiet: Surroundings = { ...surroundings, say: () => undefined, show: (text) => surroundings.show?.(`${which}: ${text}`) };
    const ended = await runOnce({ ...run, users, durationMs, results }, quiet);
    const { outcome } = ended.report;
    if (outcome !== 'passed' && outcome !== 'threshold failed') throw new StepFailed(outcome, ended);
    const { acquires, perSecond, p50 = 0, p95 = 0, cpuPercent } = summaryOf(ended.report.settings.run, ended.report);
    say(`${users} ${users === 1 ? 'user' : 'users'}: ${figure(perSecond)}/s, p50 ${figure(p50)} ms, p95 ${figure(p95)} ms`);
    return { users, acquires, perSecond, p50, p95, cpuPercent };
  };
  const found = await searchUsers(bounds, measure);
  const runtime = run.place;
  const tuned: Tuned = { ...found, scenario: run.scenario.name, runtime, startedAt: startedAt.toISOString() };
  await Promise.all([
    writeFile(join(folder, 'tune.json'), `${JSON.stringify(tuned, null, 2)}\n`),
    writeFile(join(folder, 'tune.md'), capacityMarkdown(tuned)),
  ]);
  return { tuned, folder };
}
