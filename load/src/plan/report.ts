import type { Exactness } from './exactness.js';
import type { Figures } from './figures.js';
import { thresholdsOf } from './program-options.js';
import type { Scenario } from './scenario.js';
import { ERRORS_RATE } from './series.js';
import type { RunSettings } from './settings.js';
import { type Judgement, judge } from './thresholds.js';

/** How a run ended. `broken` is one that nobody can judge: k6 itself failed. */
export type Outcome = 'passed' | 'threshold failed' | 'not exact' | 'broken';

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
  /** Whether whatever made the load ended as it should. @default true */
  readonly isWhole?: boolean;
}

/** Judges a run, and puts together what is said of it. */
export function reportOf({ scenario, settings, runtime, startedAtMs, figures, exactness, notes = [], isWhole = true }: Findings): Report {
  const judgements = judge(thresholdsOf(scenario, settings), figures);
  return {
    scenario: scenario.name,
    question: scenario.question,
    settings,
    runtime,
    startedAt: new Date(startedAtMs).toISOString(),
    // Where nothing was called, nothing was shown.
    outcome: outcomeOf(judgements, exactness, isWhole && (figures.rates[ERRORS_RATE]?.count ?? 0) > 0),
    figures,
    judgements,
    ...(exactness === undefined ? {} : { exactness }),
    notes,
  };
}

/** An inexact limiter is worse than a slow one, so that is what is said of one that is both. */
function outcomeOf(judgements: readonly Judgement[], exactness: Exactness | undefined, isWhole: boolean): Outcome {
  if (exactness?.ok === false) return 'not exact';
  if (judgements.some(({ ok }) => !ok)) return 'threshold failed';
  return isWhole ? 'passed' : 'broken';
}

/** What the shell hears of each outcome: 99 is k6's own word for a failed threshold. */
export const OUTCOME_EXIT: Readonly<Record<Outcome, number>> = { passed: 0, broken: 1, 'not exact': 98, 'threshold failed': 99 };
