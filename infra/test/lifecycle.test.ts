import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { RateLimiter } from '@millrace/limiter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cdk, cdkDone } from './command-line.js';
import { dashboardBody, dashboardOf, resources } from './resources.js';
import { sessionOf } from './session.js';

/** A stage that keeps its data. No other file uses it, so that it can be taken down. */
const STAGE = ['-c', 'stage=prod'] as const;
const LARGER = ['-c', 'aggregatorMemoryMb=512'] as const;
const CONFIG_TTL_MS = 60_000;
const NEW_LIMITS = 'resources: { gpt-4: ["rpm:50/min"] }';

describe('a stage that keeps its data', () => {
  let folder: string;
  let before: readonly string[];
  let outputs: Readonly<Record<string, string>>;
  let acquireRoleArn: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-lifecycle-'));
    before = await resources();
    const file = join(folder, 'outputs.json');
    await cdkDone('deploy', '--all', ...STAGE, '--require-approval', 'never', '--outputs-file', file);
    const said = JSON.parse(await readFile(file, 'utf8'));
    outputs = said['Millrace-prod'];
    acquireRoleArn = said['Millrace-prod-Access'].AcquireRoleArn;
  });
  afterAll(() => rm(folder, { recursive: true }));

  const memoryMb = async () => {
    const asked = new GetFunctionConfigurationCommand({ FunctionName: outputs['AggregatorName'] });
    return (await new LambdaClient({}).send(asked)).MemorySize;
  };

  it('is what was deployed: a diff is empty', async () => {
    expect(await cdk('diff', '--all', '--fail', ...STAGE)).toMatchObject({ code: 0 });
  });

  it('W-40: follows an update of the function and of the limits, as does a client that runs', async () => {
    const limitsFile = join(folder, 'limits.yaml');
    await writeFile(limitsFile, NEW_LIMITS);
    const update = [...STAGE, ...LARGER, '-c', `limitsFile=${limitsFile}`] as const;
    const table = outputs['TableName'] ?? '';
    let nowMs = Date.now();
    const clock = { nowMs: () => nowMs };
    const credentials = await sessionOf(acquireRoleArn);
    await using service = await RateLimiter.open({ table, credentials, clock, configTtlMs: CONFIG_TTL_MS });
    await (await service.acquire('somebody', 'gpt-4', { rpm: 100 })).release();
    expect([await memoryMb(), await service.available('anybody', 'gpt-4')]).toEqual([256, { rpm: 500, tpm: 800_000 }]);
    const { code, said } = await cdk('diff', '--all', '--fail', ...update);
    expect(code).toBe(1);
    expect(said).toMatch(/MemorySize[\s\S]*256[\s\S]*512/);

    await cdkDone('deploy', '--all', ...update, '--require-approval', 'never');

    // On the client's own clock, so that this does not depend on how long a deployment takes.
    nowMs += CONFIG_TTL_MS;
    expect(await service.available('anybody', 'gpt-4')).toEqual({ rpm: 50 });
    await expect(service.acquire('somebody', 'gpt-4', { rpm: 100 })).rejects.toThrow(/50/);
    await (await service.acquire('somebody', 'gpt-4', { rpm: 40 })).release();
    expect(await memoryMb()).toBe(512);
    expect(await cdk('diff', '--all', '--fail', ...update)).toMatchObject({ code: 0 });
  });

  it('W-41: leaves its table and its archive when it is destroyed, and nothing else', async () => {
    const { TableName = '', AuditBucketName: bucket = '' } = outputs;
    const dashboard = await dashboardOf('Millrace-prod');
    expect(await dashboardBody(dashboard)).toContain(TableName);

    await cdkDone('destroy', '--all', '--force', ...STAGE);

    const left = (await resources()).filter((resource) => !before.includes(resource));
    expect([...left].sort()).toEqual([`bucket ${bucket}`, `table ${TableName}`]);
    await expect(dashboardBody(dashboard)).rejects.toThrow(/Dashboard/);
    const { Table: table } = await new DynamoDBClient({}).send(new DescribeTableCommand({ TableName }));
    expect(table).toMatchObject({ TableStatus: 'ACTIVE', DeletionProtectionEnabled: true });
  });
});
