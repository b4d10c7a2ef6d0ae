import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Limit } from '@millrace/limiter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attemptsAs } from './attempts.js';
import { command } from './command-line.js';
import { deployed, limiterAs } from './deployed.js';
import { GRANTED, GRANTED_WITHIN, listed } from './granted.js';
import { sessionOf } from './session.js';

const { 'tenant-a': own = '', 'tenant-b': other = '' } = deployed.namespaceIds;
const DENIED_AT_LEAST = 10;

describe('an app that imports the limiter by its name', () => {
  let folder: string;
  let roles: Readonly<Record<string, string>>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-grants-'));
    const outputs = join(folder, 'outputs.json');
    const app = ['--app', 'node infra/dist/test/grants-app.js', '--output', join(folder, 'assembly')];
    const options = ['deploy', ...app, '--require-approval', 'never', '--outputs-file', outputs, '--no-notices', '--ci'];
    const context = { GRANTS_TABLE: deployed.table, GRANTS_NAMESPACE: own, CDK_VALIDATION: 'false' };
    const { code, said } = await command('node_modules/.bin/cdk', options, context);
    if (code !== 0) throw new Error(said);
    roles = JSON.parse(await readFile(outputs, 'utf8')).Grants;
  });
  afterAll(() => rm(folder, { recursive: true }));

  const sessionFor = (role: string) => sessionOf(roles[`${role}RoleArn`] ?? `no role ${role}`);

  it.each([
    ['grantRecordUsage', 'Records', GRANTED.recordUsage],
    ['grantRecordUsageForNamespace', 'RecordsWithin', GRANTED_WITHIN.recordUsage],
    ['a managed policy for services that bill', 'Bills', [...GRANTED.acquire, ...GRANTED.recordUsage]],
    ['such a policy for one namespace', 'BillsWithin', [...GRANTED_WITHIN.acquire, ...GRANTED_WITHIN.recordUsage]],
    ['a managed policy for reports', 'Reads', GRANTED.read],
    ['such a policy for one namespace', 'ReadsWithin', GRANTED_WITHIN.read],
    ['a managed policy for operators', 'Administers', GRANTED.admin],
    ['such a policy for one namespace', 'AdministersWithin', GRANTED_WITHIN.admin],
  ])('is given by %s (%s) what that is for, and is denied the rest', async (_, role, granted) => {
    const { allowed, denied } = await attemptsAs(await sessionFor(role), deployed, own, other);

    expect(allowed).toEqual(listed(granted));
    expect(denied.length).toBeGreaterThanOrEqual(DENIED_AT_LEAST);
  });

  it.each(['Bills', 'BillsWithin'])('bills under %s: what is committed is a usage event', async (role) => {
    const credentials = await sessionFor(role);
    await using operator = await limiterAs('Admin', { namespace: 'tenant-a' });
    await operator.limits.setResource('billed', [Limit.perMinute('rpm', 100)]);
    const billing = { resources: ['billed'], maxDelayMs: 0 };
    await using service = await limiterAs(role, { credentials, namespace: 'tenant-a', billing });
    const idempotencyKey = `job of ${role}`;

    await service.withLease('billed-key', 'billed', { rpm: 2 }, () => undefined, { idempotencyKey });
    await service.flush();

    const found = await operator.usage.findEvent({ entity: 'billed-key', resource: 'billed', idempotencyKey });
    expect(found).toMatchObject({ amounts: { rpm: 2 } });
  });
});
