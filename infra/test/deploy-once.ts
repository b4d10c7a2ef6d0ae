import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openNamespaces } from '@millrace/limiter/admin';
import type { TestProject } from 'vitest/node';
import { cdkDone } from './command-line.js';
import type { Deployed } from './deployed.js';
import { sessionOf } from './session.js';

const STACKS = { limiter: 'Millrace-dev', access: 'Millrace-dev-Access' } as const;
const TENANTS = ['default', 'tenant-a', 'tenant-b'] as const;

/**
 * Does once what the README tells a newcomer to do: bootstrap, deploy, make the namespaces by the operator's role, and give
 * one of them roles of its own.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (process.env['EMULATOR_PYTHON'] === undefined) throw new Error('these tests need the emulator: run pnpm test:deploy');
  const folder = await mkdtemp(join(tmpdir(), 'millrace-deploy-'));
  const startedMs = Date.now();
  const say = (what: string): void => void process.stdout.write(`${((Date.now() - startedMs) / 1_000).toFixed(1)} s: ${what}\n`);
  const deploy = async (...options: readonly string[]): Promise<Record<string, Record<string, string>>> => {
    const outputs = join(folder, 'outputs.json');
    await cdkDone('deploy', ...options, '--require-approval', 'never', '--outputs-file', outputs, '--output', join(folder, 'assembly'));
    return JSON.parse(await readFile(outputs, 'utf8'));
  };

  await cdkDone('bootstrap', `aws://${process.env['CDK_DEFAULT_ACCOUNT']}/${process.env['CDK_DEFAULT_REGION']}`);
  say('bootstrapped');
  const { [STACKS.limiter]: limiter = {}, [STACKS.access]: access = {} } = await deploy('--all');
  say('deployed');
  const table = limiter['TableName'] ?? '';
  const namespaceIds = await prepareTable(table, access['AdminRoleArn'] ?? '');
  say('the namespaces are registered');
  const { [STACKS.access]: roles = {} } = await deploy(STACKS.access, '-c', `namespaceIds=${namespaceIds['tenant-a']}`);
  say('one of them has roles of its own');
  const deployed: Deployed = {
    table,
    aggregator: limiter['AggregatorName'] ?? '',
    failureQueue: limiter['FailureQueueUrl'] ?? '',
    alarmTopic: limiter['AlarmTopicArn'] ?? '',
    auditBucket: limiter['AuditBucketName'] ?? '',
    roles,
    namespaceIds,
  };
  project.provide('deployed', deployed);
  return () => rm(folder, { recursive: true });
}

/** Registers the tenants' namespaces; gives the id of each by its name. */
async function prepareTable(table: string, adminRoleArn: string): Promise<Record<string, string>> {
  const credentials = await sessionOf(adminRoleArn);
  await using registry = await openNamespaces({ table, credentials });
  const ids: Record<string, string> = {};
  for (const name of TENANTS) ids[name] = (await registry.namespaces.register(name)).id;
  return ids;
}
