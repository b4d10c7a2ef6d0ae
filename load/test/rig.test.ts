import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createTable } from '@millrace/limiter/admin';
import { type LocalEngine, launchEngine } from '@millrace/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Rig } from '../src/aws/rig.js';
import { startedByOf } from '../src/aws/rig-tasks.js';
import { buildWorker } from '../src/build/worker-bundle.js';
import { freePort } from '../src/distributed/free-port.js';
import { bundleScenario } from '../src/node/bundle.js';
import { type FakeAws, type FakeAwsOptions, runningTask, startFakeAws } from './fake-aws.js';
import { realK6 } from './real-k6.js';
import { runLoad, startLoad } from './shell-run.js';

const k6 = await realK6();
const TABLE = 'millrace-rig';
const RIG: Rig = {
  table: TABLE,
  resultsBucket: 'results',
  functionName: 'workers',
  fargate: {
    cluster: 'arn:aws:ecs:us-east-1:123456789012:cluster/Rig',
    taskDefinition: 'worker:1',
    container: 'k6',
    capacityProvider: 'FARGATE_SPOT',
    subnets: ['subnet-1'],
    securityGroups: ['sg-1'],
    publicIp: true,
  },
};
let folder: string;
let engine: LocalEngine;
let aws: FakeAws | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-rig-'));
  engine = await launchEngine();
  await createTable({ table: TABLE, endpoint: engine.endpoint, region: engine.region, credentials: engine.credentials });
});
afterAll(async () => {
  await engine.close();
  await rm(folder, { recursive: true });
});
afterEach(() => aws?.close());

const fake = async (more: Partial<FakeAwsOptions> = {}): Promise<FakeAws> => {
  aws = await startFakeAws({ rig: RIG, ...more });
  return aws;
};

/** What a shell with keys of AWS has, and the programs of a folder before all others. */
function shell(programs?: string): NodeJS.ProcessEnv {
  const { PATH = '', HOME } = process.env;
  return {
    HOME,
    PATH: programs === undefined ? `${dirname(process.execPath)}:/usr/bin:/bin` : `${programs}:${dirname(process.execPath)}:/usr/bin:/bin`,
    ...(PATH === '' ? {} : {}),
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: engine.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: engine.credentials.secretAccessKey,
    AWS_ENDPOINT_URL: aws?.url,
    AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
  };
}

/** The two tools of a tunnel, as programs that note what they are told: the first time no tunnel opens, then one does until it is ended. */
async function tools(): Promise<{ readonly path: string; readonly told: () => Promise<string> }> {
  const path = await mkdtemp(join(folder, 'programs-'));
  const note = join(path, 'told');
  const program = `#!/bin/sh
[ "$1" = --version ] && exit 0
echo "$@" >> ${note}
if [ "$(wc -l < ${note})" -eq 1 ]; then echo "TargetNotConnected" >&2; exit 254; fi
echo "Waiting for connections..."
exec sleep 600
`;
  for (const name of ['aws', 'session-manager-plugin']) {
    await writeFile(join(path, name), program);
    await chmod(join(path, name), 0o755);
  }
  return { path, told: () => readFile(note, 'utf8') };
}

const operations = ({ asked }: FakeAws): string[] => asked.map(({ operation }) => operation);

describe('connect', () => {
  it('tunnels to a task whose dashboard is on, again where its agent is not known yet, until it is ended', async () => {
    const here = await fake({ tasks: [runningTask('other', startedByOf('a'), false), runningTask('live', startedByOf('b'), true)] });
    const { path, told } = await tools();
    const port = await freePort();
    const load = startLoad(['connect', '--stack', 'Rig', '--port', `${port}`], shell(path));
    await load.said(new RegExp(`the live dashboard is at http://127\\.0\\.0\\.1:${port}/ui`));
    load.child.kill('SIGTERM');
    const { code, stderr } = await load.ended;

    expect(stderr).toContain('no tunnel yet (1 of 5): TargetNotConnected');
    expect(await told()).toContain(
      `ssm start-session --region us-east-1 --target ecs:Rig_live_live-1 --document-name AWS-StartPortForwardingSession --parameters {"portNumber":["5665"],"localPortNumber":["${port}"]}`,
    );
    expect(new Set(operations(here))).toEqual(new Set(['ListTasks', 'DescribeTasks']));
    expect(code).toBe(0);
  });

  it('starts a task with its dashboard on where there is none, marked as its run, and ends it with the run', async () => {
    const here = await fake({ tasks: [runningTask('other', startedByOf('a'), false)] });
    const { path } = await tools();
    const results = join(folder, 'connected');
    const size = ['--cpu', '2048', '--memory', '8192'];
    const args = ['connect', 'max-rps', '--stack', 'Rig', '--port', `${await freePort()}`, '--results', results, ...size];
    const load = startLoad(args, shell(path));
    await load.said(/the live dashboard is at/);
    load.child.kill('SIGTERM');
    const { code, stdout } = await load.ended;

    const started = here.asked.find(({ operation }) => operation === 'RunTask')?.input as {
      startedBy: string;
      overrides: { containerOverrides: [{ environment: [{ value: string }] }] };
    };
    expect(started).toMatchObject({ enableExecuteCommand: true, startedBy: expect.stringMatching(/^millrace-load\/max-rps-/) });
    expect(started.overrides).toMatchObject({ cpu: '2048', memory: '8192' });
    const order = JSON.parse(started.overrides.containerOverrides[0].environment[0].value);
    expect(order).toMatchObject({ dashboardPort: 5_665, segment: '0:1', settings: { scenario: 'max-rps', table: TABLE } });
    expect(here.asked.find(({ operation }) => operation === 'StopTask')?.input).toMatchObject({ task: expect.stringContaining('started') });
    expect(here.tasks.map(({ taskArn }) => taskArn)).toEqual([expect.stringContaining('other')]);
    expect(stdout).toContain('1 fargate workers of 2048 processor units and 8192 MB each');
    expect(stdout).toContain('outcome: partial');
    expect(code).toBe(97);
  });

  it('ends what it is told to end, and no worker of another run', async () => {
    const here = await fake({ tasks: [runningTask('other', startedByOf('a'), false), runningTask('live', startedByOf('b'), true)] });
    const { code, stderr } = await runLoad(['connect', '--stack', 'Rig', '--destroy'], shell());

    expect(stderr).toContain('task live of run b is told to end');
    expect(here.tasks).toHaveLength(1);
    expect(code).toBe(0);
  });

  it('says what to install and prints the command where a tool is missing, and starts nothing', async () => {
    const here = await fake({ tasks: [runningTask('live', startedByOf('b'), true)] });
    const bare = await mkdtemp(join(folder, 'bare-'));
    const env = { ...shell(), PATH: bare };
    const found = await runLoad(['connect', '--stack', 'Rig'], env);
    here.tasks = [];
    const none = await runLoad(['connect', '--stack', 'Rig'], env);

    expect(found.stderr).toMatch(/the AWS CLI, version 2: https:.*session-manager-plugin: https:/s);
    expect(found.stderr).toContain('aws ssm start-session --region us-east-1 --target ecs:Rig_live_live-1');
    expect(none.stderr).toContain('Nothing was started');
    expect([found.code, none.code]).toEqual([1, 1]);
    expect(operations(here)).not.toContain('RunTask');
  });

  it('refuses a port that is in use', async () => {
    await fake({ tasks: [runningTask('live', startedByOf('b'), true)] });
    const server = createServer();
    const port = await freePort();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const { code, stderr } = await runLoad(['connect', '--stack', 'Rig', '--port', `${port}`], shell((await tools()).path));
    server.close();

    expect(stderr).toContain(`port ${port} of this machine is in use`);
    expect(code).toBe(64);
  });
});

describe('stop with a rig', () => {
  it('ends the tasks of a run by its mark, and of all runs with --all; tasks of somebody else go on', async () => {
    const tasks = [
      runningTask('a', startedByOf('run-a'), false),
      runningTask('b', startedByOf('run-b'), true),
      runningTask('web', 'ecs-svc/1', true),
    ];
    const here = await fake({ tasks });
    const results = ['--results', join(folder, 'none')];
    const one = await runLoad(['stop', 'run-a', '--stack', 'Rig', ...results], shell());

    expect(one).toMatchObject({ code: 0, stdout: 'stopped: 1 tasks\n' });
    expect(here.tasks).toHaveLength(2);
    expect(await runLoad(['stop', '--all', '--stack', 'Rig', ...results], shell())).toMatchObject({
      code: 0,
      stdout: 'stopped: 1 tasks\n',
    });
    expect(here.tasks.map(({ startedBy }) => startedBy)).toEqual(['ecs-svc/1']);
  });

  it('says that an invocation of Lambda cannot be ended', async () => {
    await fake();
    const results = join(folder, 'lambda');
    await mkdir(join(results, 'simple-1'), { recursive: true });
    await writeFile(join(results, 'simple-1', 'running.json'), JSON.stringify({ run: 'simple-1', place: 'lambda', processes: [] }));
    const { code, stderr } = await runLoad(['stop', 'simple-1', '--results', results], shell());

    expect(stderr).toContain('Lambda cannot be told to end an invocation');
    expect(code).toBe(0);
  });

  it('refuses a stack without a rig', async () => {
    await fake({ rig: { table: TABLE, resultsBucket: 'results' } });
    const { code, stderr } = await runLoad(['connect', '--stack', 'Rig'], shell());

    expect(stderr).toContain('deploy it with fargateWorkers');
    expect(code).toBe(1);
  });
});

describe.skipIf(k6 === undefined)('a run on Lambda', () => {
  it('whose results bucket refuses has all its figures, says so, and ends with 97', async () => {
    const entry = join(folder, 'worker.mjs');
    await buildWorker(entry);
    const scenarios = dirname(await bundleScenario('simple', 'direct'));
    const env: NodeJS.ProcessEnv = { ...shell(), K6_BIN: k6?.path, MILLRACE_SCENARIOS: scenarios };
    const here = await fake({ worker: { entry, env } });
    env['AWS_ENDPOINT_URL'] = here.url;
    const args = [
      'run',
      'simple',
      '--mode',
      'lambda',
      '--stack',
      'Rig',
      '--workers',
      '1',
      '--vus',
      '3',
      '--duration',
      '1s',
      '--p95',
      '60s',
    ];
    const { code, stdout } = await runLoad([...args, '--results', join(folder, 'lambda-run')], shell());

    expect(stdout).toContain('1 lambda workers');
    expect(stdout).toMatch(/worker 0: results bucket results refused runs\/simple-.*\/0-0\.json/);
    expect(stdout).toMatch(/✓ the table says what callers counted: rpm: (\d+) in the table, \1 counted/);
    expect(stdout).toContain('outcome: partial');
    expect(code).toBe(97);
  });
});
