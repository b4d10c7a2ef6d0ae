import type { RigTask } from '../../aws/rig-tasks.js';

/** What a tunnel is to lead to. */
export interface TunnelEnds {
  /** The ARN of the cluster. */
  readonly cluster: string;
  readonly task: RigTask;
  readonly localPort: number;
  readonly remotePort: number;
}

/** Which of the tools are there. */
export interface Tools {
  readonly aws: boolean;
  readonly plugin: boolean;
}

/** What is done with the tasks that run. */
export type Decision =
  | { readonly kind: 'use'; readonly task: RigTask }
  | { readonly kind: 'start'; readonly end: readonly RigTask[] }
  | { readonly kind: 'end'; readonly end: readonly RigTask[] };

/**
 * Decides which task is looked into. Only one that was started with its dashboard on can be; workers of other runs are never
 * touched, whatever is asked for.
 */
export function decide(tasks: readonly RigTask[], { force, destroy }: { readonly force: boolean; readonly destroy: boolean }): Decision {
  const reachable = tasks.filter(({ isReachable }) => isReachable);
  if (destroy) return { kind: 'end', end: reachable };
  const [first] = reachable.filter(({ status }) => status !== 'DEACTIVATING' && status !== 'STOPPING');
  return first === undefined || force ? { kind: 'start', end: force ? reachable : [] } : { kind: 'use', task: first };
}

/** Whether a tunnel can be opened yet. */
export function readiness(task: RigTask | undefined): 'ready' | 'starting' | 'gone' {
  if (task === undefined || ['DEACTIVATING', 'STOPPING', 'DEPROVISIONING', 'STOPPED'].includes(task.status)) return 'gone';
  return task.status === 'RUNNING' && task.isAgentReady && task.runtimeId !== undefined ? 'ready' : 'starting';
}

/** The arguments of the AWS CLI that open the tunnel. The target is made of the names that ECS's agent registers. */
export function sessionArguments({ cluster, task, localPort, remotePort }: TunnelEnds): readonly string[] {
  const [, , , region = ''] = cluster.split(':');
  const target = `ecs:${cluster.split('/').at(-1)}_${task.arn.split('/').at(-1)}_${task.runtimeId ?? '<runtime id>'}`;
  const parameters = JSON.stringify({ portNumber: [`${remotePort}`], localPortNumber: [`${localPort}`] });
  const document = ['--document-name', 'AWS-StartPortForwardingSession', '--parameters', parameters];
  return ['ssm', 'start-session', '--region', region, '--target', target, ...document];
}

/** A command as it can be pasted into a shell. */
export function shellLine(command: string, args: readonly string[]): string {
  return [command, ...args].map((arg) => (/^[\w:/.=-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`)).join(' ');
}

/** What is to be installed, and where it is described; empty where nothing is missing. */
export function missingTools({ aws, plugin }: Tools): readonly string[] {
  return [
    ...(aws ? [] : ['the AWS CLI, version 2: https://docs.aws.amazon.com/cli/latest/userguide/getting-started-install.html']),
    ...(plugin
      ? []
      : [
          'the Session Manager plugin of the AWS CLI, session-manager-plugin: https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager-working-with-install-plugin.html',
        ]),
  ];
}
