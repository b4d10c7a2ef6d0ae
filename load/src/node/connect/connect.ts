import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Rig, rigOf } from '../../aws/rig.js';
import { type RigTask, RigTasks } from '../../aws/rig-tasks.js';
import { LIVE_PORT } from '../arguments.js';
import { UsageError } from '../flags.js';
import type { ConnectCommand } from '../reading-arguments.js';
import { type EndedRun, runScenario } from '../run-scenario.js';
import { ask } from '../shell.js';
import type { Surroundings } from '../surroundings.js';
import { decide, missingTools, readiness, sessionArguments, shellLine, type Tools } from './session.js';
import { keepTunnel, openTunnel } from './tunnel.js';

/** What became of it: the report of the run that was started, if one was. */
export interface Connected {
  readonly ended?: EndedRun;
  /** False where a tool was missing, so that nothing was opened. */
  readonly isOk: boolean;
}

const POLL_MS = 2_000;
/** A task takes a minute or two to run, and its agent half a minute more. */
const READY_WITHIN_MS = 300_000;

/** What a connect works with. */
interface Connecting {
  readonly command: ConnectCommand;
  readonly cluster: string;
  readonly tasks: RigTasks;
  readonly surroundings: Surroundings;
}

/** Looks into a Fargate task: finds one with its dashboard on or starts it, and tunnels to it until it ends or somebody says so. */
export async function connect(command: ConnectCommand, surroundings: Surroundings): Promise<Connected> {
  const { env, say } = surroundings;
  const { cluster, ...fargate } = fargateOf(await rigOf(command.stack), command.stack);
  const tasks = new RigTasks({ cluster, ...fargate });
  const connecting = { command, cluster, tasks, surroundings };
  try {
    const decision = decide(await tasks.list(), command);
    if (decision.kind !== 'use') for (const task of decision.end) await end(connecting, task);
    if (decision.kind === 'end') {
      if (decision.end.length === 0) say(`no task with a live dashboard runs on the rig of stack ${command.stack}`);
      return { isOk: true };
    }
    const missing = missingTools(await toolsOf(env));
    if (missing.length > 0) return tellMissing(connecting, missing, decision.kind === 'use' ? decision.task : undefined);
    await checkPort(command.port);
    if (decision.kind === 'start') return await startAndLook(connecting);
    say(`run ${decision.task.run} is looked into; its report is where it was started`);
    await look(connecting, decision.task.arn, surroundings.signal ?? new AbortController().signal);
    return { isOk: true };
  } finally {
    tasks.close();
  }
}

function fargateOf({ fargate }: Rig, stack: string): NonNullable<Rig['fargate']> {
  if (fargate === undefined) throw new Error(`the rig of stack ${stack} has no tasks: deploy it with fargateWorkers`);
  return fargate;
}

async function end({ tasks, surroundings: { say } }: Connecting, { arn, run }: RigTask): Promise<void> {
  await tasks.stop(arn, 'millrace load connect');
  say(`task ${arn.split('/').at(-1)} of run ${run} is told to end`);
}

async function toolsOf(env: NodeJS.ProcessEnv): Promise<Tools> {
  const [aws, plugin] = await Promise.all(
    (['aws', 'session-manager-plugin'] as const).map((tool) => ask(tool, ['--version'], { timeoutMs: 20_000, env })),
  );
  return { aws: aws?.code === 0, plugin: plugin?.code === 0 };
}

/** Nothing is started that nobody could look into. */
function tellMissing(
  { command, cluster, surroundings: { say } }: Connecting,
  missing: readonly string[],
  task: RigTask | undefined,
): Connected {
  say(['A tunnel needs what is not installed here:', ...missing.map((tool) => `  - ${tool}`)].join('\n'));
  if (task === undefined) say('Nothing was started. Install it and connect again.');
  else {
    const args = sessionArguments({ cluster, task, localPort: command.port, remotePort: LIVE_PORT });
    say(`With it, here or on another machine, this opens it at http://127.0.0.1:${command.port}/ui:\n  ${shellLine('aws', args)}`);
  }
  return { isOk: false };
}

/** @throws UsageError if somebody listens on it */
async function checkPort(port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const server = createServer();
    server.once('error', () => reject(new UsageError(`port ${port} of this machine is in use: give another one with --port`)));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve()));
  });
}

async function startAndLook(connecting: Connecting): Promise<Connected> {
  const { command, surroundings } = connecting;
  const looking = new AbortController();
  const stop = (): void => looking.abort();
  surroundings.signal?.addEventListener('abort', stop, { once: true });
  let looked: Promise<void> | undefined;
  const onTask = (arn: string): void => {
    // The first of several workers: all have the same share of the load.
    looked ??= look(connecting, arn, looking.signal).catch((error: Error) => surroundings.say(`nobody looks: ${error.message}`));
  };
  try {
    return { ended: await runScenario(command.run, { ...surroundings, onTask }), isOk: true };
  } finally {
    looking.abort();
    await looked;
  }
}

/** Tunnels to a task as soon as that can be. */
async function look({ command, cluster, tasks, surroundings: { env, say } }: Connecting, arn: string, signal: AbortSignal): Promise<void> {
  const find = async (): Promise<RigTask | undefined> => (await tasks.list(signal)).find((task) => task.arn === arn);
  const rest = (delayMs: number): Promise<void> => sleep(delayMs, undefined, { signal }).catch(() => undefined);
  const untilMs = Date.now() + READY_WITHIN_MS;
  let task = await find();
  for (; readiness(task) === 'starting'; task = await find()) {
    if (Date.now() > untilMs) throw new Error(`task ${arn} took longer than ${READY_WITHIN_MS / 60_000} minutes to be ready`);
    await rest(POLL_MS);
    if (signal.aborted) return;
  }
  if (task === undefined || readiness(task) === 'gone') throw new Error(`task ${arn} has ended`);
  const args = sessionArguments({ cluster, task, localPort: command.port, remotePort: LIVE_PORT });
  say(shellLine('aws', args));
  await keepTunnel({
    open: (onOpen) => openTunnel({ args, env, onOpen, signal }),
    isThere: async () => readiness(await find().catch(() => undefined)) === 'ready',
    onOpen: () => say(`the live dashboard is at http://127.0.0.1:${command.port}/ui; Ctrl-C ends`),
    say,
    sleep: rest,
    signal,
  });
}
