import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cdk, cdkDone } from './command-line.js';
import { resources } from './resources.js';

/** A stage that keeps its data. No other file uses it, so that it can be taken down. */
const STAGE = ['-c', 'stage=prod'] as const;
const LARGER = ['-c', 'aggregatorMemoryMb=512'] as const;

describe('a stage that keeps its data', () => {
  let folder: string;
  let before: readonly string[];
  let outputs: Readonly<Record<string, string>>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-lifecycle-'));
    before = await resources();
    const file = join(folder, 'outputs.json');
    await cdkDone('deploy', '--all', ...STAGE, '--require-approval', 'never', '--outputs-file', file);
    outputs = JSON.parse(await readFile(file, 'utf8'))['Millrace-prod'];
  });
  afterAll(() => rm(folder, { recursive: true }));

  const memoryMb = async () => {
    const asked = new GetFunctionConfigurationCommand({ FunctionName: outputs['AggregatorName'] });
    return (await new LambdaClient({}).send(asked)).MemorySize;
  };

  it('is what was deployed: a diff is empty', async () => {
    expect(await cdk('diff', '--all', '--fail', ...STAGE)).toMatchObject({ code: 0 });
  });

  it('follows an update, which a diff shows before and not after', async () => {
    expect(await memoryMb()).toBe(256);
    const { code, said } = await cdk('diff', '--all', '--fail', ...STAGE, ...LARGER);
    expect(code).toBe(1);
    expect(said).toMatch(/MemorySize[\s\S]*256[\s\S]*512/);

    await cdkDone('deploy', '--all', ...STAGE, ...LARGER, '--require-approval', 'never');

    expect(await memoryMb()).toBe(512);
    expect(await cdk('diff', '--all', '--fail', ...STAGE, ...LARGER)).toMatchObject({ code: 0 });
  });

  it('leaves its table and its archive when it is destroyed, and nothing else', async () => {
    const { TableName = '', AuditBucketName: bucket = '' } = outputs;

    await cdkDone('destroy', '--all', '--force', ...STAGE);

    const left = (await resources()).filter((resource) => !before.includes(resource));
    expect([...left].sort()).toEqual([`bucket ${bucket}`, `table ${TableName}`]);
    const { Table: table } = await new DynamoDBClient({}).send(new DescribeTableCommand({ TableName }));
    expect(table).toMatchObject({ TableStatus: 'ACTIVE', DeletionProtectionEnabled: true });
  });
});
