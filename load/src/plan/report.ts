import type { Exactness } from './exactness.js';
import type { Figures } from './figures.js';
import { thresholdsOf } from './program-options.js';
import type { Scenario } from './scenario.js';
import { ERRORS_RATE } from './series.js';
import type { RunSettings } from './settings.js';
import { type Judgement, judge } from './thresholds.js';

/**
 * How a run ended. `partial` is one of which a part is missing: its figures are kept and shown, and no verdict on them is one
 * on the load that was asked for. `broken` is one that nobody can judge: k6 itself failed.
 */
export type Outcome = 'passed' | 'threshold failed' | 'not exact' | 'partial' | 'broken';

/** How much of the load came to be made and heard of. */
export type Extent = 'whole' | 'part' | 'broken';

/** What k6 took of the machines that it ran on. */
export interface Usage {
  /** Of one core, the mean of all workers: 100 is one core that is busy all the time, and two cores may show 200. */
  readonly cpuPercent: number;
  /** The most memory that one worker's k6 had. */
  readonly peakMb: number;
}

/** What is known when a run has ended, as files and later comparisons hold it. */
export interface Report {
  readonly scenario: string;
  readonly question: string;
  readonly settings: RunSettings;
  /** Where the load was made: `local`, or how workers were run. */
  readonly runtime: string;
  readonly startedAt: string;
  readonly outcome: Outcome;
  readonly figures: Figures;
  readonly judgements: readonly Judgement[];
  /** Absent where nobody could read the table. */
  readonly exactness?: Exactness;
  /** Absent where nobody could look at k6's process. */
  readonly usage?: Usage;
  /** Other things to know: what was built, what was not judged. */
  readonly notes: readonly string[];
}

/** What a report is made from. */
export interface Findings {
  readonly scenario: Scenario;
  readonly settings: RunSettings;
  readonly runtime: string;
  readonly startedAtMs: number;
  readonly figures: Figures;
  readonly exactness?: Exactness;
  readonly notes?: readonly string[];
  readonly usage?: Usage | undefined;
  /** @default 'whole' */
  readonly extent?: Extent;
}

/** Judges a run, and puts together what is said of it. */
export function reportOf(findings: Findings): Report {
  const { scenario, settings, runtime, startedAtMs, figures, exactness, usage, notes = [], extent = 'whole' } = findings;
  const judgements = judge(thresholdsOf(scenario, settings), figures);
  return {
    scenario: scenario.name,
    question: scenario.question,
    settings,
    runtime,
    startedAt: new Date(startedAtMs).toISOString(),
    // Where nothing was called, nothing was shown.
    outcome: outcomeOf(judgements, exactness, extent === 'whole' && (figures.rates[ERRORS_RATE]?.count ?? 0) === 0 ? 'broken' : extent),
    figures,
    judgements,
    ...(exactness === undefined ? {} : { exactness }),
    ...(usage === undefined ? {} : { usage }),
    notes,
  };
}

/**
 * An inexact limiter is worse than a slow one, so that is what is said of one that is both. Less load than was asked for
 * passes bounds that the whole would not, and fails others, so a partial run is neither passed nor failed.
 */
function outcomeOf(judgements: readonly Judgement[], exactness: Exactness | undefined, extent: Extent): Outcome {
  if (exactness?.ok === false) return 'not exact';
  if (extent === 'part') return 'partial';
  if (judgements.some(({ ok }) => !ok)) return 'threshold failed';
  return extent === 'whole' ? 'passed' : 'broken';
}

/** What the shell hears of each outcome: 99 is k6's own word for a failed threshold. */
export const OUTCOME_EXIT: Readonly<Record<Outcome, number>> = {
  passed: 0,
  broken: 1,
  partial: 97,
  'not exact': 98,
  'threshold failed': 99,
};
