import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DescribeTaskDefinitionCommand, ECSClient } from '@aws-sdk/client-ecs';
import { LambdaClient, UpdateFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { DeleteObjectsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cdkDone, command } from './command-line.js';
import { deployed } from './deployed.js';

const STACK = 'Millrace-dev-Load';
const PROGRAM = 'load/dist/src/node/main.js';

/** What the stack tells `pnpm load run --stack`. */
interface Told {
  readonly table: string;
  readonly functionName: string;
  readonly resultsBucket: string;
  readonly fargate: { readonly taskDefinition: string; readonly cluster: string; readonly capacityProvider: string };
}

describe('a load rig', () => {
  let folder: string;
  let rig: Told;
  const assets = (): string => join(folder, 'assets');
  // An image in a registry: docker would have to build another.
  const context = (): string[] =>
    [`loadAssets=${assets()}`, `loadArchitecture=${process.arch}`, 'loadImage=example.com/load-worker'].flatMap((each) => ['-c', each]);
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-rig-'));
    // k6 is built once for this machine's processor, if no test has done so before.
    const made = await command('node', [PROGRAM, 'assets', '--out', assets(), '--arch', process.arch]);
    if (made.code !== 0) throw new Error(made.said);
    // By the direct method: to the emulator's change sets a stack that only gets an output has no changes.
    await cdkDone('deploy', STACK, ...context(), '--method', 'direct', '--require-approval', 'never', '--output', join(folder, 'assembly'));
    const { Stacks } = await new CloudFormationClient({}).send(new DescribeStacksCommand({ StackName: STACK }));
    rig = JSON.parse(Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey?.includes('LoadRig'))?.OutputValue ?? '{}');
    await tellTheEmulator(rig.functionName, assets());
  }, 1_200_000);
  afterAll(() => rm(folder, { recursive: true }));

  it('tells what it loads and with what', () => {
    expect(rig).toMatchObject({ table: deployed.table, fargate: { capacityProvider: 'FARGATE_SPOT' } });
  });

  it('runs workers as invocations of its function, and their figures come back as those of one run', async () => {
    const sizes = ['--workers', '2', '--vus', '4', '--duration', '2s', '--p95', '60s', '--timeout', '60s'];
    const { code, said } = await command('node', [
      PROGRAM,
      'run',
      'simple',
      '--mode',
      'lambda',
      '--stack',
      STACK,
      ...sizes,
      '--results',
      folder,
    ]);
    expect(said).toContain('outcome: passed');
    expect(said.match(/worker \d: finished/g)).toHaveLength(2);
    expect(code).toBe(0);
  });

  it('has a task that is the same worker in a container', async () => {
    const { taskDefinition } = await new ECSClient({}).send(
      new DescribeTaskDefinitionCommand({ taskDefinition: rig.fargate.taskDefinition }),
    );
    expect(taskDefinition).toMatchObject({
      cpu: '1024',
      memory: '2048',
      containerDefinitions: [{ name: 'k6', image: 'example.com/load-worker' }],
    });
  });

  it('has what each worker found, and is taken away when that is', async () => {
    const s3 = new S3Client({ forcePathStyle: true });
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: rig.resultsBucket }));
    expect(Contents.map(({ Key }) => Key?.replace(/^runs\/[^/]+\//, ''))).toEqual(['0-0.json', '1-0.json']);
    const objects = Contents.flatMap(({ Key }) => (Key === undefined ? [] : [{ Key }]));
    await s3.send(new DeleteObjectsCommand({ Bucket: rig.resultsBucket, Delete: { Objects: objects } }));

    expect(await cdkDone('destroy', STACK, '--force', '--exclusively', ...context())).not.toMatch(/DELETE_FAILED/);
    // And what the limiter's stack exported for it.
    await cdkDone('deploy', 'Millrace-dev', '--exclusively', '--method', 'direct', '--require-approval', 'never');
  });
});

/** The emulator runs functions on this machine, without their layers: k6 is elsewhere, and must trust its certificate. */
async function tellTheEmulator(functionName: string, assets: string): Promise<void> {
  const { NODE_EXTRA_CA_CERTS = '' } = process.env;
  const Variables = { K6_BIN: join(assets, 'layer', 'bin', 'k6'), SSL_CERT_FILE: NODE_EXTRA_CA_CERTS };
  await new LambdaClient({}).send(new UpdateFunctionConfigurationCommand({ FunctionName: functionName, Environment: { Variables } }));
}
