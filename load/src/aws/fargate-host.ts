import { setTimeout as sleep } from 'node:timers/promises';
import { DescribeTasksCommand, type ECSClient, RunTaskCommand, StopTaskCommand, type Task } from '@aws-sdk/client-ecs';
import type { WorkerOrder, WorkerResult } from '../distributed/order.js';
import type { WorkerHost, WorkerWatch } from '../distributed/worker-host.js';
import type { TaskSize } from './fargate-size.js';
import { storedResult } from './results-bucket.js';
import type { FargateRig } from './rig.js';
import { ecsClient, startedByOf } from './rig-tasks.js';

/** A task's network interface, its image and its start, with room. */
const LEAD_SEC = 120;

const POLL_MS = 5_000;

/** Workers that are Fargate tasks. Nobody hears a task, so its answer is read from the results bucket when it has stopped. */
export function fargateHost(rig: FargateRig, size?: TaskSize): WorkerHost {
  const client = ecsClient();
  return { name: 'fargate', leadSec: LEAD_SEC, run: (order, signal, watch) => runTask({ client, rig, size }, order, signal, watch) };
}

interface Ecs {
  readonly client: ECSClient;
  readonly rig: FargateRig;
  /** Of each task; absent for that of its definition. */
  readonly size: TaskSize | undefined;
}

async function runTask(
  { client, rig, size }: Ecs,
  order: WorkerOrder,
  signal: AbortSignal,
  watch: WorkerWatch | undefined,
): Promise<WorkerResult> {
  if (order.results === undefined) throw new Error('Fargate workers answer in a results bucket, and the rig names none');
  const { tasks, failures } = await client.send(
    new RunTaskCommand({
      cluster: rig.cluster,
      taskDefinition: rig.taskDefinition,
      capacityProviderStrategy: [{ capacityProvider: rig.capacityProvider, weight: 1 }],
      // By these, `stop` finds it, and a list of tasks says whose it is.
      startedBy: startedByOf(order.runId),
      // A tunnel ends at an agent that ECS puts into the task for this.
      ...(order.dashboardPort === undefined ? {} : { enableExecuteCommand: true }),
      // The same order twice is the same task.
      clientToken: `${order.runId}-${order.worker}-${order.slice}`.slice(-64),
      networkConfiguration: {
        awsvpcConfiguration: {
          subnets: [...rig.subnets],
          securityGroups: [...rig.securityGroups],
          assignPublicIp: rig.publicIp ? 'ENABLED' : 'DISABLED',
        },
      },
      overrides: {
        // The container has no size of its own, so that it has all that its task has.
        ...(size === undefined ? {} : { cpu: `${size.cpu}`, memory: `${size.memoryMb}` }),
        containerOverrides: [{ name: rig.container, environment: [{ name: 'MILLRACE_ORDER', value: JSON.stringify(order) }] }],
      },
    }),
  );
  const arn = tasks?.[0]?.taskArn;
  if (arn === undefined)
    throw new Error(
      `no task was started: ${failures?.map(({ reason, detail }) => `${reason} ${detail ?? ''}`).join(', ') || 'no reason given'}`,
    );
  watch?.started(arn);
  const stopped = await stoppedTask(client, rig.cluster, arn, signal);
  return storedResult(order).catch((error: Error) => {
    throw new Error(`task ${arn} stopped (${stopped.stoppedReason ?? 'no reason given'}) and left no answer: ${error.message}`);
  });
}

async function stoppedTask(client: ECSClient, cluster: string, arn: string, signal: AbortSignal): Promise<Task> {
  try {
    for (;;) {
      const { tasks } = await client.send(new DescribeTasksCommand({ cluster, tasks: [arn] }), { abortSignal: signal });
      const task = tasks?.[0];
      if (task?.lastStatus === 'STOPPED') return task;
      await sleep(POLL_MS, undefined, { signal });
    }
  } catch (error) {
    // Nobody waits for it any more: it would go on and cost.
    await client.send(new StopTaskCommand({ cluster, task: arn, reason: 'the run was ended' })).catch(() => undefined);
    throw error;
  }
}
