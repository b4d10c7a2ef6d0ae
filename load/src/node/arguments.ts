import type { EngineName } from '@millrace/testing';
import { SCENARIOS } from '../../scenarios/index.js';
import { ARCHITECTURES, type RigArchitecture } from '../build/rig-assets.js';
import type { Scenario } from '../plan/scenario.js';
import type { Mode } from '../plan/settings.js';
import { CLOUD_OPTIONS, CLOUD_OPTIONS_USAGE, type CloudPlan, cloudPlan, refuseCloudOptions } from './cloud-arguments.js';
import { isHttpUrl, numberOf, oneOf, optional, parsedWith, timeOf, UsageError, wholeOf } from './flags.js';
import { connectionsOf, type Place, WORKER_OPTIONS, WORKER_OPTIONS_USAGE, type WorkerPlan, workerPlan } from './worker-arguments.js';

const PLACES: readonly Place[] = ['local', 'distributed', 'lambda', 'fargate', 'cloud'];

/** What the command was asked for. */
export interface RunCommand {
  readonly scenario: Scenario;
  /** Where the load is made. */
  readonly place: Place;
  /** How many workers make it; a place that is one k6 has 1. */
  readonly workforce: WorkerPlan;
  /** The stack of the rig, where the place is on AWS. */
  readonly stack?: string;
  /** What Grafana Cloud is told, where the place is there. */
  readonly cloud?: CloudPlan;
  readonly via: Mode;
  readonly users: number;
  readonly perSecond?: number;
  readonly durationMs: number;
  readonly cascade: boolean;
  readonly callers: number;
  /** Of each user of k6, or of the Node service; absent for what is usual. */
  readonly connections?: number;
  readonly requestTimeoutMs: number;
  readonly acquireP95Ms?: number;
  readonly endpoint?: string;
  readonly engine?: EngineName;
  /** The folder that the run's own folder is made in; absent for the usual one. */
  readonly results?: string;
  /** One of the scenario's shapes; absent where it has none. */
  readonly shape?: string;
  readonly dashboard: boolean;
  /** Whether the usage ledger is kept, and held against the buckets. */
  readonly ledger: boolean;
  /** The port on which k6 shows its dashboard while it runs; absent where nobody looks. */
  readonly livePort?: number;
  readonly keep: boolean;
  readonly json: boolean;
}

/** The options of a run. */
export const RUN_OPTIONS = {
  ...WORKER_OPTIONS,
  stack: { type: 'string' },
  via: { type: 'string' },
  vus: { type: 'string' },
  rate: { type: 'string' },
  duration: { type: 'string' },
  cascade: { type: 'boolean' },
  callers: { type: 'string' },
  connections: { type: 'string' },
  mode: { type: 'string' },
  timeout: { type: 'string' },
  p95: { type: 'string' },
  endpoint: { type: 'string' },
  engine: { type: 'string' },
  results: { type: 'string' },
  shape: { type: 'string' },
  'no-dashboard': { type: 'boolean' },
  'no-ledger': { type: 'boolean' },
  live: { type: 'boolean' },
  port: { type: 'string' },
  keep: { type: 'boolean' },
  json: { type: 'boolean' },
  ...CLOUD_OPTIONS,
} as const;

const ENGINES: readonly EngineName[] = ['dynoxide', 'extenddb', 'dynamodb-local'];

/** k6's own port for its dashboard. */
export const LIVE_PORT = 5_665;

export const RUN_OPTIONS_USAGE = `Options of run:
  --mode M          local: one k6 here; distributed: --workers of them here; lambda, fargate: workers of the rig of --stack;
                    cloud: Grafana Cloud
${WORKER_OPTIONS_USAGE}  --stack S         the stack that holds a LoadRig; its table is loaded, in a namespace of the run's own
  --vus N           users, each a limiter of its own (the scenario's)
  --rate N          turns a second, however long they take; without it, users come back when they are ready
  --duration T      how long turns are made: 500ms, 30s, 5m, 2h (the scenario's)
  --cascade         entities take from a parent, too
  --callers N       callers in each user, that share its caches and its writes (the scenario's)
  --connections N   those that each user keeps for its next requests, 0 for none (256); with --via gateway the most of the Node
                    service to DynamoDB (256)
  --shape S         how the rate goes up and down (the scenario's first): daily or morning-spike of llm-production
  --via V           direct: the limiter's engine in k6 (default); gateway: a Node service with the SDK, over HTTP
  --timeout T       how long one request may take (10s)
  --p95 T           the bound on the 95th percentile of acquires (the scenario's)
  --endpoint URL    a DynamoDB that runs, with the keys of the environment; without it, an engine is started
  --engine E        ${ENGINES.join(', ')} (the first that is installed)
  --results DIR     where the run's folder is made
  --live            k6 shows its dashboard while it runs: here on --port, on Fargate for "connect"
  --port N          the port of that dashboard (${LIVE_PORT})
  --no-dashboard    no HTML report
  --no-ledger       does not keep the usage ledger, which is else made of the table's stream and held against the buckets
  --keep            leaves the table where it is, at an endpoint
  --json            the report as JSON on stdout
${CLOUD_OPTIONS_USAGE}`;

/**
 * Reads the arguments after `run`, or after `local`, which is a place.
 *
 * @param env Where tokens and numbers of Grafana Cloud may stand.
 * @throws UsageError
 */
export function runCommand(args: readonly string[], env: NodeJS.ProcessEnv = {}): RunCommand {
  return runOf(parsed(args), env);
}

/** What the options of a run mean, whichever command they were given to. @throws UsageError */
export function runOf({ values, positionals }: Given, env: NodeJS.ProcessEnv = {}): RunCommand {
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
  const where = placeOf(values, scenario, env);
  const via = viaOf(values, where.place);
  return {
    scenario,
    ...where,
    via,
    users: wholeOf('vus', values.vus, sizes.users),
    ...(perSecond === undefined ? {} : { perSecond }),
    durationMs: timeOf('duration', values.duration) ?? sizes.durationMs,
    cascade: values.cascade === true,
    callers: wholeOf('callers', values.callers, sizes.callers ?? 1),
    ...optional('connections', connectionsOf(values.connections, via)),
    requestTimeoutMs: timeOf('timeout', values.timeout) ?? 10_000,
    ...optional('acquireP95Ms', timeOf('p95', values.p95)),
    ...optional('endpoint', values.endpoint),
    ...optional('engine', oneOf('engine', values.engine, ENGINES)),
    ...optional('results', values.results),
    ...optional('shape', shapeOf(scenario, values.shape)),
    dashboard: values['no-dashboard'] !== true,
    ledger: values['no-ledger'] !== true,
    ...optional('livePort', livePortOf(values, where.place)),
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

type Given = Pick<ReturnType<typeof parsed>, 'values' | 'positionals'>;
type Values = Given['values'];

function placeOf(values: Values, scenario: Scenario, env: NodeJS.ProcessEnv): Pick<RunCommand, 'place' | 'workforce' | 'stack' | 'cloud'> {
  const place = oneOf('mode', values.mode, PLACES) ?? 'local';
  const workforce = workerPlan(values, place);
  if (place === 'cloud') {
    if (values.stack !== undefined) throw new UsageError('--stack is a rig of AWS: the stack in Grafana Cloud is --cloud-stack');
    return { place, workforce, cloud: cloudPlan(values, env) };
  }
  refuseCloudOptions(values, place);
  if (place === 'lambda' || place === 'fargate') checkRig(values, place, scenario);
  else if (values.stack !== undefined) throw new UsageError(`--stack is for --mode lambda and fargate, got --mode ${place}`);
  return { place, workforce, ...optional('stack', values.stack) };
}

function checkRig({ stack, endpoint, engine, via }: Values, place: Place, { manages }: Scenario): void {
  if (stack === undefined) throw new UsageError(`--mode ${place} runs on a rig: name its stack with --stack`);
  if ((endpoint ?? engine) !== undefined) throw new UsageError(`--mode ${place} loads the rig's table: leave --endpoint and --engine out`);
  // Workers elsewhere cannot come to a service on this machine.
  if (via === 'gateway' || manages === true)
    throw new UsageError(`--mode ${place}: a Node service on this machine cannot be reached from there`);
}

function viaOf(values: Values, place: Place): Mode {
  const via = oneOf('via', values.via, ['direct', 'gateway']);
  if (place === 'cloud' && via === 'direct')
    throw new UsageError("--via direct: Grafana's runners would need keys of AWS; --mode cloud goes through the Node service");
  return via ?? (place === 'cloud' ? 'gateway' : 'direct');
}

function livePortOf(values: Values, place: Place): number | undefined {
  if (values.live !== true) {
    if (values.port !== undefined) throw new UsageError('--port is the port of the live dashboard: add --live');
    return undefined;
  }
  if (place !== 'local' && place !== 'fargate')
    throw new UsageError(`--live is for --mode local and fargate: nobody can look into a worker of --mode ${place}`);
  return wholeOf('port', values.port, LIVE_PORT, 65_535);
}

function shapeOf({ name, shapes }: Scenario, text: string | undefined): string | undefined {
  if (shapes === undefined && text !== undefined) throw new UsageError(`--shape: scenario "${name}" has no shapes`);
  return oneOf('shape', text, shapes ?? []) ?? shapes?.[0];
}

function parsed(args: readonly string[]) {
  return parsedWith(args, RUN_OPTIONS);
}
