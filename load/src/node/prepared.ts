import { dirname } from 'node:path';
import { fargateHost } from '../aws/fargate-host.js';
import type { TaskSize } from '../aws/fargate-size.js';
import { lambdaHost } from '../aws/lambda-host.js';
import { type Rig, rigOf } from '../aws/rig.js';
import { buildWorker } from '../build/worker-bundle.js';
import { processHost } from '../distributed/process-host.js';
import type { WorkerHost } from '../distributed/worker-host.js';
import { LIVE_PORT, type RunCommand } from './arguments.js';
import { bundleScenario } from './bundle.js';
import { cloudK6 } from './cloud-k6.js';
import { findK6, type K6Binary } from './k6-binary.js';
import type { LoadMaker } from './load-maker.js';
import { manyWorkers } from './many-workers.js';
import { keysOf, oneK6 } from './one-k6.js';
import { IS_REPOSITORY, WORKER } from './package-root.js';
import { openRigSite } from './rig-site.js';
import { openSite, type Site } from './site.js';
import type { Surroundings } from './surroundings.js';

/** Where a run's table is, and what makes its load. */
export interface Prepared {
  readonly site: Site;
  readonly maker: LoadMaker;
}

/** Finds or starts all that a run needs, by where it is to be made. The caller closes the site. */
export async function prepared(command: RunCommand, run: string, surroundings: Surroundings): Promise<Prepared> {
  return command.place === 'lambda' || command.place === 'fargate' ? onRig(command, run, surroundings) : here(command, run, surroundings);
}

async function here(command: RunCommand, run: string, { env, say }: Surroundings): Promise<Prepared> {
  const binary = await findK6(env, say);
  say(`k6 ${binary.version}`);
  const script = await bundleScenario(command.scenario.name, command.via);
  const { endpoint, engine, via, connections, requestTimeoutMs } = command;
  const maker = await makerHere(command, { binary, script }, { env, say });
  const table = `millrace-load-${run}`;
  const given = {
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(engine === undefined ? {} : { engine }),
    // Else the number is that of k6's users, and administration has what is usual.
    ...(via === 'gateway' && connections !== undefined ? { connections } : {}),
  };
  return { maker, site: await openSite({ ...given, env, table, requestTimeoutMs }) };
}

interface Program {
  readonly binary: K6Binary;
  readonly script: string;
}

async function makerHere(
  { place, scenario, workforce, dashboard, livePort }: RunCommand,
  { binary, script }: Program,
  { env, say }: Surroundings,
): Promise<LoadMaker> {
  if (place === 'local') return oneK6({ binary, script, env, scenario, dashboard, ...(livePort === undefined ? {} : { livePort }) });
  if (place === 'cloud') return cloudK6({ binary, script, env, say });
  const environment = { ...env, K6_BIN: binary.path, MILLRACE_SCENARIOS: dirname(script) };
  return manyWorkers({ runtime: 'distributed', workforce, say, hostFor: hostOfProcesses(await bundledWorker(), environment) });
}

function hostOfProcesses(entry: string, env: NodeJS.ProcessEnv): ({ site }: { site: Site }) => WorkerHost {
  return ({ site }) => processHost(entry, { ...env, ...keysOf(site) });
}

/** The worker that Lambda and Fargate run as well, as one file. */
async function bundledWorker(): Promise<string> {
  if (IS_REPOSITORY) await buildWorker(WORKER);
  return WORKER;
}

async function onRig(command: RunCommand, run: string, { env, say, onTask }: Surroundings): Promise<Prepared> {
  const { place, stack = '', workforce, requestTimeoutMs, livePort } = command;
  const { size } = workforce;
  const rig = await rigOf(stack);
  const host = place === 'lambda' ? lambdaHostOf(rig, stack) : fargateHostOf(rig, stack, size);
  const site = await openRigSite({ table: rig.table, namespace: `load-${run}`, env, requestTimeoutMs });
  const maker = manyWorkers({
    runtime: place,
    workforce,
    ...(size === undefined ? {} : { each: `${size.cpu} processor units and ${size.memoryMb} MB` }),
    say,
    resultsBucket: rig.resultsBucket,
    hostFor: () => host,
    ...(livePort === undefined ? {} : { dashboardPort: LIVE_PORT }),
    ...(onTask === undefined ? {} : { onStarted: (name) => onTask(`${name}`) }),
  });
  return { site, maker };
}

function lambdaHostOf({ functionName }: Rig, stack: string): WorkerHost {
  if (functionName === undefined) throw new Error(`the rig of stack ${stack} has no function: deploy it with lambdaWorkers`);
  return lambdaHost(functionName);
}

function fargateHostOf({ fargate }: Rig, stack: string, size: TaskSize | undefined): WorkerHost {
  if (fargate === undefined) throw new Error(`the rig of stack ${stack} has no tasks: deploy it with fargateWorkers`);
  return fargateHost(fargate, size);
}
