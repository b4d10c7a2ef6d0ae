import { SCENARIOS } from '../../scenarios/index.js';
import type { SearchBounds } from '../plan/efficiency.js';
import { LIVE_PORT, RUN_OPTIONS, type RunCommand, runOf } from './arguments.js';
import { numberOf, optional, parsedWith, timeOf, UsageError, wholeOf } from './flags.js';
import { COUNTING_OPTIONS } from './worker-arguments.js';

/** How a result is written. */
type Format = 'terminal' | 'json' | 'markdown' | 'html';

const OF_RUNS = { results: { type: 'string' }, json: { type: 'boolean' } } as const;

export interface ReportCommand {
  readonly run: string;
  readonly format: Format;
  readonly results?: string;
}

/** Reads the arguments after `report`. @throws UsageError */
export function reportCommand(args: readonly string[]): ReportCommand {
  const { values, positionals } = parsedWith(args, { ...OF_RUNS, markdown: { type: 'boolean' }, html: { type: 'boolean' } });
  return { run: oneRun(positionals), format: formatOf(values), ...optional('results', values.results) };
}

export interface CompareCommand {
  readonly runs: readonly string[];
  readonly format: Exclude<Format, 'html'>;
  readonly results?: string;
}

const MOST_COMPARED = 20;

/** Reads the arguments after `compare`. @throws UsageError */
export function compareCommand(args: readonly string[]): CompareCommand {
  const { values, positionals } = parsedWith(args, { ...OF_RUNS, markdown: { type: 'boolean' } });
  if (positionals.length < 2 || positionals.length > MOST_COMPARED)
    throw new UsageError(
      `name 2 to ${MOST_COMPARED} runs to compare, got ${positionals.length}; the first is what the others are held against`,
    );
  return { runs: positionals, format: formatOf(values) as CompareCommand['format'], ...optional('results', values.results) };
}

export interface RunsCommand {
  readonly most: number;
  readonly json: boolean;
  readonly results?: string;
}

/** Reads the arguments after `runs`. @throws UsageError */
export function runsCommand(args: readonly string[]): RunsCommand {
  const { values, positionals } = parsedWith(args, { ...OF_RUNS, limit: { type: 'string' } });
  if (positionals.length > 0) throw new UsageError(`runs has no argument "${positionals[0]}"; "report" shows one`);
  return { most: wholeOf('limit', values.limit, 50, 1_000), json: values.json === true, ...optional('results', values.results) };
}

export interface StopCommand {
  /** Absent for all. */
  readonly run?: string;
  readonly stack?: string;
  readonly results?: string;
}

/** Reads the arguments after `stop`. @throws UsageError */
export function stopCommand(args: readonly string[]): StopCommand {
  const options = { results: { type: 'string' }, all: { type: 'boolean' }, stack: { type: 'string' } } as const;
  const { values, positionals } = parsedWith(args, options);
  const [run] = positionals;
  if (values.all === true && run !== undefined) throw new UsageError(`--all is every run: leave "${run}" out, or --all`);
  if (values.all !== true && run === undefined) throw new UsageError('name a run, or give --all');
  if (positionals.length > 1) throw new UsageError(`one run at a time, got "${positionals.join(' ')}"`);
  return { ...optional('run', run), ...optional('stack', values.stack), ...optional('results', values.results) };
}

export interface TuneCommand {
  readonly run: RunCommand;
  readonly bounds: SearchBounds;
  readonly format: Exclude<Format, 'html'>;
}

const TUNE_OPTIONS = {
  'max-users': { type: 'string' },
  threshold: { type: 'string' },
  'step-duration': { type: 'string' },
  'baseline-duration': { type: 'string' },
  steps: { type: 'string' },
  markdown: { type: 'boolean' },
} as const;

const NOT_OF_TUNE = ['vus', 'rate', 'duration', ...COUNTING_OPTIONS, 'live', 'port'] as const;

/** Reads the arguments after `tune`: its own, and those of a run that say where and what. @throws UsageError */
export function tuneCommand(args: readonly string[]): TuneCommand {
  const { values, positionals } = parsedWith(args, { ...RUN_OPTIONS, ...TUNE_OPTIONS });
  const wrong = NOT_OF_TUNE.find((name) => values[name] !== undefined);
  if (wrong !== undefined) throw new UsageError(`tune chooses users, workers and times: leave --${wrong} out`);
  const isRig = values.mode === 'lambda' || values.mode === 'fargate';
  const run = runOf({ values: isRig ? { ...values, workers: '1' } : values, positionals });
  if (run.place === 'distributed')
    throw new UsageError('tune measures one worker: --mode must be one of local, lambda, fargate, got "distributed"');
  const { perSecond, ...closed } = run;
  return {
    // Users come back when they are ready: of a rate that is given, one worker more takes none away.
    run: { ...closed, dashboard: false },
    bounds: {
      maxUsers: wholeOf('max-users', values['max-users'], 40, 100_000),
      threshold: numberOf('threshold', values.threshold, 0.8, [0.05, 1]),
      stepMs: timeOf('step-duration', values['step-duration']) ?? 30_000,
      baselineMs: timeOf('baseline-duration', values['baseline-duration']) ?? 60_000,
      mostSteps: wholeOf('steps', values.steps, 8, 50),
    },
    format: formatOf(values) as TuneCommand['format'],
  };
}

export interface ConnectCommand {
  readonly stack: string;
  /** What is started where nothing runs that can be looked into. */
  readonly run: RunCommand;
  readonly port: number;
  readonly force: boolean;
  readonly destroy: boolean;
}

/** Reads the arguments after `connect`: its own, and those of the run that it may start. @throws UsageError */
export function connectCommand(args: readonly string[]): ConnectCommand {
  const own = { force: { type: 'boolean' }, destroy: { type: 'boolean' } } as const;
  const { values, positionals } = parsedWith(args, { ...RUN_OPTIONS, ...own });
  const { stack, force = false, destroy = false, workers = '1', mode, ...rest } = values;
  if (stack === undefined) throw new UsageError('connect looks into a task of a rig: name its stack with --stack');
  if (force && destroy) throw new UsageError('--force starts another one, --destroy ends it: give one of the two');
  if (rest['users-per-worker'] !== undefined)
    throw new UsageError('connect looks into one task: leave --users-per-worker out; --workers starts several');
  if (mode !== undefined) throw new UsageError('connect is for Fargate alone: leave --mode out');
  const scenario = positionals.length === 0 ? [SCENARIOS[0]?.name ?? ''] : positionals;
  const run = runOf({ values: { ...rest, stack, workers, mode: 'fargate', live: true }, positionals: scenario });
  return { stack, run, port: run.livePort ?? LIVE_PORT, force, destroy };
}

function oneRun(positionals: readonly string[]): string {
  const [run] = positionals;
  if (run === undefined) throw new UsageError('name a run, its folder, or "latest"; "runs" lists those there are');
  if (positionals.length > 1) throw new UsageError(`one run at a time, got "${positionals.join(' ')}"; "compare" takes several`);
  return run;
}

function formatOf(values: { readonly json?: boolean; readonly markdown?: boolean; readonly html?: boolean }): Format {
  const asked = (['json', 'markdown', 'html'] as const).filter((format) => values[format] === true);
  if (asked.length > 1) throw new UsageError(`one format at a time, got ${asked.map((each) => `--${each}`).join(' and ')}`);
  return asked[0] ?? 'terminal';
}
