import { fork } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Rig } from '../src/aws/rig.js';
import type { WorkerMessage } from '../src/distributed/order.js';

/** A task as ECS tells of it. */
export type FakeTask = Readonly<Record<string, unknown>> & { readonly taskArn: string };

/** What a rig's stack answers, over the wire: the SDK itself asks, and what it sent is kept. */
export interface FakeAws {
  readonly url: string;
  /** Requests of ECS in their order: the operation and its input. */
  readonly asked: readonly { readonly operation: string; readonly input: Readonly<Record<string, unknown>> }[];
  /** Tasks of the cluster; a test may change them. */
  tasks: FakeTask[];
  close(): Promise<void>;
}

export interface FakeAwsOptions {
  readonly rig: Rig;
  readonly tasks?: readonly FakeTask[];
  /** The wrapper that an invocation runs, and its environment; absent where the rig has no function. */
  readonly worker?: { readonly entry: string; readonly env: NodeJS.ProcessEnv };
}

/** Starts one. Its bucket refuses everything. */
export async function startFakeAws({ rig, tasks = [], worker }: FakeAwsOptions): Promise<FakeAws> {
  const asked: { operation: string; input: Record<string, unknown> }[] = [];
  const fake = { tasks: [...tasks] };
  const server = createServer((request, response) => {
    void bodyOf(request).then(async (body) => {
      const target = request.headers['x-amz-target'];
      if (typeof target === 'string') {
        const operation = target.split('.')[1] ?? '';
        const input = JSON.parse(body) as Record<string, unknown>;
        asked.push({ operation, input });
        answer(response, 200, 'application/x-amz-json-1.1', JSON.stringify(ecsAnswer(operation, input, fake)));
      } else if (body.includes('Action=DescribeStacks')) answer(response, 200, 'text/xml', stackXml(rig));
      else if (request.url?.includes('/invocations') && worker !== undefined)
        answer(response, 200, 'application/json', JSON.stringify(await invoked(worker, body)));
      else answer(response, 403, 'application/xml', '<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    get tasks() {
      return fake.tasks;
    },
    set tasks(now: FakeTask[]) {
      fake.tasks = now;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function ecsAnswer(operation: string, input: Readonly<Record<string, unknown>>, fake: { tasks: FakeTask[] }): object {
  switch (operation) {
    case 'ListTasks':
      return { taskArns: fake.tasks.map(({ taskArn }) => taskArn) };
    case 'DescribeTasks':
      return { tasks: fake.tasks.filter(({ taskArn }) => (input['tasks'] as string[]).includes(taskArn)) };
    case 'StopTask':
      fake.tasks = fake.tasks.filter(({ taskArn }) => taskArn !== input['task']);
      return { task: { taskArn: input['task'], lastStatus: 'STOPPED' } };
    case 'RunTask': {
      const task = runningTask('started', `${input['startedBy']}`, input['enableExecuteCommand'] === true);
      fake.tasks = [...fake.tasks, task];
      return { tasks: [task], failures: [] };
    }
    default:
      throw new Error(`nobody thought of ${operation}`);
  }
}

/** A task that runs, with its agent if a tunnel may be opened to it. */
export function runningTask(id: string, startedBy: string, isReachable: boolean): FakeTask {
  return {
    taskArn: `arn:aws:ecs:us-east-1:123456789012:task/Rig/${id}`,
    startedBy,
    lastStatus: 'RUNNING',
    enableExecuteCommand: isReachable,
    containers: [
      { name: 'k6', runtimeId: `${id}-1`, managedAgents: isReachable ? [{ name: 'ExecuteCommandAgent', lastStatus: 'RUNNING' }] : [] },
    ],
  };
}

function stackXml(rig: Rig): string {
  const value = JSON.stringify(rig).replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const output = `<member><OutputKey>TestLoadRig0</OutputKey><OutputValue>${value}</OutputValue></member>`;
  const stack = `<member><StackName>Rig</StackName><StackStatus>CREATE_COMPLETE</StackStatus><Outputs>${output}</Outputs></member>`;
  return (
    '<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult>' +
    `<Stacks>${stack}</Stacks></DescribeStacksResult></DescribeStacksResponse>`
  );
}

/** The worker that the function of a rig runs, with the order that it is sent. */
function invoked({ entry, env }: NonNullable<FakeAwsOptions['worker']>, order: string): Promise<unknown> {
  const child = fork(entry, [], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  return new Promise((resolve, reject) => {
    child.on('message', (message: WorkerMessage) => 'result' in message && resolve(message.result));
    child.once('error', reject);
    child.send(JSON.parse(order));
  });
}

function answer(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type });
  response.end(body);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
