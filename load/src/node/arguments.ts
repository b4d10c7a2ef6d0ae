import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { EngineName } from '@millrace/testing';
import { SCENARIOS } from '../../scenarios/index.js';
import { ARCHITECTURES, type RigArchitecture } from '../build/rig-assets.js';
import type { Scenario } from '../plan/scenario.js';
import type { Mode } from '../plan/settings.js';

/** One k6 on this machine, several that share a run, or the workers of a rig. */
type Place = 'local' | 'distributed' | 'lambda' | 'fargate';

const PLACES: readonly Place[] = ['local', 'distributed', 'lambda', 'fargate'];

/** What the command was asked for. */
export interface RunCommand {
  readonly scenario: Scenario;
  /** Where the load is made. */
  readonly place: Place;
  /** How many workers make it; 1 of a place of its own, which is one k6, says nothing of workers. */
  readonly workers: number;
  /** The stack of the rig, where the place is on AWS. */
  readonly stack?: string;
  readonly via: Mode;
  readonly users: number;
  readonly perSecond?: number;
  readonly durationMs: number;
  readonly cascade: boolean;
  readonly callers: number;
  readonly requestTimeoutMs: number;
  readonly acquireP95Ms?: number;
  readonly endpoint?: string;
  readonly engine?: EngineName;
  /** The folder that the run's own folder is made in; absent for `results` of this package. */
  readonly results?: string;
  /** One of the scenario's shapes; absent where it has none. */
  readonly shape?: string;
  readonly dashboard: boolean;
  /** Whether the usage ledger is kept, and held against the buckets. */
  readonly ledger: boolean;
  readonly keep: boolean;
  readonly json: boolean;
}

/** Arguments that can never work: the exit code is 2, and the usage is shown. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const OPTIONS = {
  workers: { type: 'string' },
  stack: { type: 'string' },
  via: { type: 'string' },
  vus: { type: 'string' },
  rate: { type: 'string' },
  duration: { type: 'string' },
  cascade: { type: 'boolean' },
  callers: { type: 'string' },
  mode: { type: 'string' },
  timeout: { type: 'string' },
  p95: { type: 'string' },
  endpoint: { type: 'string' },
  engine: { type: 'string' },
  results: { type: 'string' },
  shape: { type: 'string' },
  'no-dashboard': { type: 'boolean' },
  'no-ledger': { type: 'boolean' },
  keep: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

const ENGINES: readonly EngineName[] = ['dynoxide', 'extenddb', 'dynamodb-local'];
const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_MS = 31 * 86_400_000;

export const RUN_OPTIONS_USAGE = `  --mode M          local: one k6 here; distributed: --workers of them here; lambda, fargate: workers of the rig of --stack
  --workers N       how many share the load, 1 to 1000 (2; local has one)
  --stack S         the stack that holds a LoadRig; its table is loaded, in a namespace of the run's own
  --vus N           users, each a limiter of its own (the scenario's)
  --rate N          turns a second, however long they take; without it, users come back when they are ready
  --duration T      how long turns are made: 500ms, 30s, 5m, 2h (the scenario's)
  --cascade         entities take from a parent, too
  --callers N       callers in each user, that share its caches and its writes (the scenario's)
  --shape S         how the rate goes up and down (the scenario's first): daily or morning-spike of llm-production
  --via V           direct: the limiter's engine in k6 (default); gateway: a Node service with the SDK, over HTTP
  --timeout T       how long one request may take (10s)
  --p95 T           the bound on the 95th percentile of acquires (the scenario's)
  --endpoint URL    a DynamoDB that runs, with the keys of the environment; without it, an engine is started
  --engine E        ${ENGINES.join(', ')} (the first that is installed)
  --results DIR     where the run's folder is made (load/results)
  --no-dashboard    no HTML report
  --no-ledger       does not keep the usage ledger, which is else made of the table's stream and held against the buckets
  --keep            leaves the table where it is, at an endpoint
  --json            the report as JSON on stdout
`;

/** Reads the arguments after `run`, or after `local`, which is a place. @throws UsageError */
export function runCommand(args: readonly string[]): RunCommand {
  const { values, positionals } = parsed(args);
  const [name, ...more] = positionals;
  const names = SCENARIOS.map((each) => each.name).join(', ');
  if (name === undefined) throw new UsageError(`name a scenario: ${names}`);
  if (more.length > 0) throw new UsageError(`one scenario at a time, got "${positionals.join(' ')}"`);
  const scenario = SCENARIOS.find((each) => each.name === name);
  if (scenario === undefined) throw new UsageError(`there is no scenario "${name}"; there are ${names}`);
  if (values.cascade === true && !scenario.cascades) throw new UsageError(`--cascade: scenario "${name}" has no such variant`);
  if (values.endpoint !== undefined && !isHttpUrl(values.endpoint)) {
    throw new UsageError(`--endpoint must be a URL of http or https, got "${values.endpoint}"`);
  }
  const { sizes } = scenario;
  const perSecond = values.rate === undefined && values.vus !== undefined ? undefined : numberOf('rate', values.rate, sizes.perSecond);
  return {
    scenario,
    ...placeOf(values, scenario),
    via: oneOf('via', values.via, ['direct', 'gateway']) ?? 'direct',
    users: wholeOf('vus', values.vus, sizes.users),
    ...(perSecond === undefined ? {} : { perSecond }),
    durationMs: timeOf('duration', values.duration) ?? sizes.durationMs,
    cascade: values.cascade === true,
    callers: wholeOf('callers', values.callers, sizes.callers ?? 1),
    requestTimeoutMs: timeOf('timeout', values.timeout) ?? 10_000,
    ...optional('acquireP95Ms', timeOf('p95', values.p95)),
    ...optional('endpoint', values.endpoint),
    ...optional('engine', oneOf('engine', values.engine, ENGINES)),
    ...optional('results', values.results),
    ...optional('shape', shapeOf(scenario, values.shape)),
    dashboard: values['no-dashboard'] !== true,
    ledger: values['no-ledger'] !== true,
    keep: values.keep === true,
    json: values.json === true,
  };
}

/** Reads the arguments after `assets`. @throws UsageError */
export function assetsCommand(args: readonly string[]): { readonly out: string; readonly arch: RigArchitecture } {
  const { values } = parsedWith(args, { out: { type: 'string' }, arch: { type: 'string' } });
  if (values.out === undefined) throw new UsageError('name the folder with --out');
  return { out: values.out, arch: oneOf('arch', values.arch, Object.keys(ARCHITECTURES) as RigArchitecture[]) ?? 'arm64' };
}

type Values = ReturnType<typeof parsed>['values'];

function placeOf(values: Values, scenario: Scenario): Pick<RunCommand, 'place' | 'workers' | 'stack'> {
  const place = oneOf('mode', values.mode, PLACES) ?? 'local';
  const isRig = place === 'lambda' || place === 'fargate';
  const workers = place === 'local' ? 1 : wholeOf('workers', values.workers, 2);
  if (place === 'local' && values.workers !== undefined) throw new UsageError('--workers: --mode local is one k6; use --mode distributed');
  if (workers > 1_000) throw new UsageError(`--workers must be at most 1000, got "${workers}"`);
  if (isRig && values.stack === undefined) throw new UsageError(`--mode ${place} runs on a rig: name its stack with --stack`);
  if (!isRig && values.stack !== undefined) throw new UsageError(`--stack is for --mode lambda and fargate, got --mode ${place}`);
  if (isRig && (values.endpoint ?? values.engine) !== undefined)
    throw new UsageError(`--mode ${place} loads the rig's table: leave --endpoint and --engine out`);
  // Workers elsewhere cannot come to a service on this machine.
  if (isRig && (values.via === 'gateway' || scenario.manages === true))
    throw new UsageError(`--mode ${place}: a Node service on this machine cannot be reached from there`);
  return { place, workers, ...optional('stack', values.stack) };
}

function parsed(args: readonly string[]) {
  return parsedWith(args, OPTIONS);
}

function parsedWith<const Options extends NonNullable<ParseArgsConfig['options']>>(args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0] ?? '');
  }
}

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };
}

function wholeOf(option: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  if (!/^\d{1,6}$/.test(text) || Number(text) < 1)
    throw new UsageError(`--${option} must be a whole number from 1 to 999999, got "${text}"`);
  return Number(text);
}

function numberOf(option: string, text: string | undefined, fallback: number | undefined): number | undefined {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0.001 && value <= 1_000_000)) {
    throw new UsageError(`--${option} must be a number from 0.001 to 1000000, got "${text}"`);
  }
  return value;
}

function timeOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  const ms = Math.round(Number(amount) * (UNITS_MS[unit] ?? Number.NaN));
  if (amount === '' || !(ms >= 1 && ms <= LONGEST_MS))
    throw new UsageError(`--${option} must be a time as 500ms, 30s, 5m or 2h, got "${text}"`);
  return ms;
}

function oneOf<T extends string>(option: string, text: string | undefined, known: readonly T[]): T | undefined {
  if (text === undefined) return undefined;
  const found = known.find((each) => each === text);
  if (found === undefined) throw new UsageError(`--${option} must be one of ${known.join(', ')}, got "${text}"`);
  return found;
}

function shapeOf({ name, shapes }: Scenario, text: string | undefined): string | undefined {
  if (shapes === undefined && text !== undefined) throw new UsageError(`--shape: scenario "${name}" has no shapes`);
  return oneOf('shape', text, shapes ?? []) ?? shapes?.[0];
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
