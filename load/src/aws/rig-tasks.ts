import { DescribeTasksCommand, ECSClient, ListTasksCommand, StopTaskCommand, type Task } from '@aws-sdk/client-ecs';
import type { FargateRig } from './rig.js';

/** A task of a rig that some run has started. */
export interface RigTask {
  readonly arn: string;
  /** The run that it belongs to. */
  readonly run: string;
  /** `RUNNING`, `PENDING` and the like, in the words of ECS. */
  readonly status: string;
  /** Whether a tunnel may be opened to it. */
  readonly isReachable: boolean;
  /** Whether the agent that tunnels end at runs by now. */
  readonly isAgentReady: boolean;
  /** What ECS calls its container; absent until it runs. */
  readonly runtimeId?: string;
  readonly startedAtMs?: number;
}

/** Before the run's name, so that tasks of somebody else on the cluster are never taken for a worker. */
const STARTED_BY = 'millrace-load/';

/** What a task is marked with. ECS allows 128 letters, digits, dashes, slashes and underscores. */
export function startedByOf(run: string): string {
  return `${STARTED_BY}${run}`.slice(0, 128);
}

/** The workers among the tasks of a cluster, oldest first. */
export function workersAmong(tasks: readonly Task[], container: string): readonly RigTask[] {
  const workers = tasks.flatMap((task): readonly RigTask[] => {
    const { taskArn: arn, startedBy = '', lastStatus: status = 'UNKNOWN', containers = [], startedAt } = task;
    if (arn === undefined || !startedBy.startsWith(STARTED_BY)) return [];
    const own = containers.find(({ name }) => name === container);
    const agent = own?.managedAgents?.find(({ name }) => name === 'ExecuteCommandAgent');
    return [
      {
        arn,
        run: startedBy.slice(STARTED_BY.length),
        status,
        isReachable: task.enableExecuteCommand === true,
        isAgentReady: agent?.lastStatus === 'RUNNING',
        ...(own?.runtimeId === undefined ? {} : { runtimeId: own.runtimeId }),
        ...(startedAt === undefined ? {} : { startedAtMs: startedAt.getTime() }),
      },
    ];
  });
  return workers.sort((a, b) => (a.startedAtMs ?? Number.POSITIVE_INFINITY) - (b.startedAtMs ?? Number.POSITIVE_INFINITY));
}

/** A client of ECS that gives up in time. */
export function ecsClient(): ECSClient {
  return new ECSClient({ maxAttempts: 5, requestHandler: { connectionTimeout: 5_000, requestTimeout: 20_000 } });
}

/** DescribeTasks takes so many at once. */
const PAGE = 100;
/** More tasks than any rig runs. */
const MOST_PAGES = 20;

/** Asks a rig's cluster for its workers, and ends them. */
export class RigTasks {
  readonly #rig: FargateRig;
  readonly #client: ECSClient;

  constructor(rig: FargateRig) {
    this.#rig = rig;
    this.#client = ecsClient();
  }

  /** Those that run or are about to. */
  async list(signal?: AbortSignal): Promise<readonly RigTask[]> {
    const { cluster, container } = this.#rig;
    const sending = signal === undefined ? {} : { abortSignal: signal };
    const tasks: Task[] = [];
    let nextToken: string | undefined;
    for (let page = 0; page < MOST_PAGES; page++) {
      const listed = await this.#client.send(new ListTasksCommand({ cluster, maxResults: PAGE, nextToken }), sending);
      const arns = listed.taskArns ?? [];
      if (arns.length > 0)
        tasks.push(...((await this.#client.send(new DescribeTasksCommand({ cluster, tasks: arns }), sending)).tasks ?? []));
      nextToken = listed.nextToken;
      if (nextToken === undefined) break;
    }
    return workersAmong(tasks, container).filter(({ status }) => status !== 'STOPPED' && status !== 'DEPROVISIONING');
  }

  /** Tells a task to end. It leaves its figures in the results bucket first, for which ECS gives it half a minute. */
  async stop(arn: string, reason: string): Promise<void> {
    await this.#client.send(new StopTaskCommand({ cluster: this.#rig.cluster, task: arn, reason }));
  }

  close(): void {
    this.#client.destroy();
  }
}
