import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetFunctionConfigurationCommand, InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { DeleteObjectsCommand, ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3';
import { Limit, RateLimiter } from '@millrace/limiter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cdk, cdkDone, ROOT } from './command-line.js';
import { PATIENCE } from './deployed.js';
import { dashboardBody, dashboardOf, resources } from './resources.js';
import { sessionOf } from './session.js';

/** A stage that keeps its data. No other file uses it, so that it can be taken down. */
const STAGE = ['-c', 'stage=prod'] as const;
const LARGER = ['-c', 'aggregatorMemoryMb=512'] as const;
const CONFIG_TTL_MS = 60_000;
const HOUR_MS = 3_600_000;
const CUSTOMER = 'customer-1';
const NEW_LIMITS = 'resources: { gpt-4: ["rpm:50/min"] }';

describe('a stage that keeps its data', () => {
  let folder: string;
  let before: readonly string[];
  let outputs: Readonly<Record<string, string>>;
  let roles: Readonly<Record<string, string>>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-lifecycle-'));
    before = await resources();
    const file = join(folder, 'outputs.json');
    await cdkDone('deploy', '--all', ...STAGE, '--require-approval', 'never', '--outputs-file', file);
    const said = JSON.parse(await readFile(file, 'utf8'));
    outputs = said['Millrace-prod'];
    roles = said['Millrace-prod-Access'];
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
    const credentials = await sessionOf(roles['AcquireRoleArn'] ?? '');
    await using service = await RateLimiter.open({ ...PATIENCE, table, credentials, clock, configTtlMs: CONFIG_TTL_MS });
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

  it('tells of drift when it is asked, and mends none by itself', async () => {
    const askedFor = async (action: string): Promise<unknown> => {
      const asked = { FunctionName: outputs['LimitsFunctionName'], Payload: JSON.stringify({ action }) };
      return JSON.parse(Buffer.from((await new LambdaClient({}).send(new InvokeCommand(asked))).Payload ?? []).toString('utf8'));
    };
    expect(await askedFor('drift')).toMatchObject({ inSync: true, drift: [], applied: { logicalId: expect.any(String) } });
    const credentials = await sessionOf(roles['AdminRoleArn'] ?? '');
    await using operator = await RateLimiter.open({ ...PATIENCE, table: outputs['TableName'] ?? '', credentials });

    await operator.limits.setResource('gpt-4', [Limit.perMinute('rpm', 51)]);
    await operator.entities.create(CUSTOMER);

    const found = [{ name: 'rpm', refill: 51 }];
    for (const inSync of [false, false]) {
      expect(await askedFor('drift')).toMatchObject({ inSync, drift: [{ kind: 'changed', target: 'resource/gpt-4', found }] });
    }
    expect(await askedFor('plan')).toMatchObject({ changes: [{ action: 'update', target: 'resource/gpt-4' }] });
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

  it('goes on with what it has left when that is brought into a new stack, as the README says, and counts usage again', async () => {
    const { TableName: table = '', AuditBucketName = '' } = outputs;
    const [, mapping = ''] = /^echo '(.*)' > left\.json$/m.exec(await readFile(join(ROOT, 'infra/README.md'), 'utf8')) ?? [];
    const left = join(folder, 'left.json');
    await writeFile(left, mapping.replace('<TableName>', table).replace('<AuditBucketName>', AuditBucketName));
    const file = join(folder, 'outputs-again.json');

    await cdkDone('import', 'Millrace-prod', ...STAGE, '--resource-mapping', left);
    await cdkDone('deploy', '--all', ...STAGE, '--require-approval', 'never', '--outputs-file', file);

    const again = JSON.parse(await readFile(file, 'utf8'));
    expect(again['Millrace-prod']).toMatchObject({ TableName: table, AuditBucketName });
    expect(await cdk('diff', '--all', '--fail', ...STAGE)).toMatchObject({ code: 0 });
    const credentials = await sessionOf(again['Millrace-prod-Access'].AdminRoleArn);
    await using operator = await RateLimiter.open({ ...PATIENCE, table, credentials });
    expect(await operator.entities.get(CUSTOMER)).toMatchObject({ id: CUSTOMER });
    await (await operator.acquire(CUSTOMER, 'gpt-4', { rpm: 3 })).commit();
    const from = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS);
    const asked = { entity: CUSTOMER, from, to: new Date(from.getTime() + 3 * HOUR_MS) };
    await expect
      .poll(async () => (await operator.usage.summary(asked)).resources['gpt-4']?.['rpm'], { timeout: 10_000, interval: 200 })
      .toMatchObject({ net: 3 });
    await cdkDone('destroy', '--all', '--force', ...STAGE);
  });
});

describe('a stage that keeps nothing', () => {
  const KEEPS_NOTHING = [...STAGE, '-c', 'keepsData=false'] as const;

  it('is gone altogether when it is destroyed, once its archive is empty', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-lifecycle-'));
    const before = await resources();
    const file = join(folder, 'outputs.json');
    await cdkDone('deploy', '--all', ...KEEPS_NOTHING, '--require-approval', 'never', '--outputs-file', file);
    const { TableName, AuditBucketName } = JSON.parse(await readFile(file, 'utf8'))['Millrace-prod'];
    expect(await resources()).toEqual(expect.arrayContaining([`table ${TableName}`, `bucket ${AuditBucketName}`]));

    await emptyBucket(AuditBucketName);
    await cdkDone('destroy', '--all', '--force', ...KEEPS_NOTHING);

    expect((await resources()).filter((resource) => !before.includes(resource))).toEqual([]);
    await rm(folder, { recursive: true });
  });
});

/** What the README says to do before: S3 deletes no bucket that holds something, and old versions count. */
async function emptyBucket(Bucket: string): Promise<void> {
  const s3 = new S3Client({ forcePathStyle: true });
  const { Versions: versions = [], DeleteMarkers: markers = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket }));
  const Objects = [...versions, ...markers].map(({ Key, VersionId }) => ({ Key, VersionId }));
  if (Objects.length > 0) await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
}
