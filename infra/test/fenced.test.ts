import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Limit, type RateLimiter } from '@millrace/limiter';
import { openNamespaces } from '@millrace/limiter/admin';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NAMESPACE_TAG } from '../stage.js';
import { command } from './command-line.js';
import { deployed, limiterAs, roleSession } from './deployed.js';

const { 'tenant-a': own = '' } = deployed.namespaceIds;
const HOUR_MS = 3_600_000;
const DENIED = { code: 'ACCESS_DENIED' };
const LIMITS = [Limit.perMinute('rpm', 100)];
/** What nobody has stored: to store what is stored already writes nothing. */
const OTHER_LIMITS = [Limit.perMinute('rpm', 1_000_000)];

/** Both ways to fence a role: by an id in its policy, and by the tag of its session. */
const fences = [
  ['of its own', own, {}],
  ['that its tag names', 'Tagged', { [NAMESPACE_TAG]: own }],
] as const;

describe.each(fences)('the SDK, under roles that are fenced to the namespace %s', (_, prefix, tags) => {
  const limiters: RateLimiter[] = [];
  const open = async (use: 'Acquire' | 'Read' | 'Admin', namespace: string): Promise<RateLimiter> => {
    const role = `${prefix}${use}`;
    const limiter = await limiterAs(role, { credentials: await roleSession(role, tags), namespace });
    limiters.push(limiter);
    return limiter;
  };
  /** No name is used twice in the namespace. */
  const [organisation, project, key, resource] = ['org', 'project', 'key', 'model'].map((kind) => `fenced-${kind} ${prefix}`) as [
    string,
    string,
    string,
    string,
  ];
  let operator: RateLimiter;
  beforeAll(async () => {
    operator = await open('Admin', 'tenant-a');
  });
  afterAll(async () => {
    for (const limiter of limiters) await limiter.close();
  });

  it('administers it: entities, limits of every level, manifests, books and the audit log', async () => {
    const { entities, limits, usage, audit } = operator;
    await entities.create(organisation);
    await entities.create(project, { parent: organisation, cascade: true });
    await entities.create(key);
    await entities.move(key, { parent: project, cascade: true });
    await limits.setSystem(LIMITS);
    await limits.setResource(resource, LIMITS);
    await limits.setEntityDefault(key, LIMITS);
    await limits.setEntity(key, resource, LIMITS);
    await limits.deleteEntity(key, resource);
    await limits.deleteEntityDefault(key);
    await limits.setOnUnavailable('block');
    await (await operator.acquire(key, resource, { rpm: 2 })).commit();
    await entities.disable(key);
    await entities.enable(key);
    await entities.reset(key, resource);
    await entities.grant(key, resource, { rpm: 1 });
    await usage.repair({ entity: key });
    await applyManifest(`resources: { "applied ${prefix}": ["rpm:7/min"] }`);
    expect(await limits.getResource(`applied ${prefix}`)).toMatchObject({ limits: [{ name: 'rpm', refill: 7 }], managedBy: 'default' });
    await entities.create(`${key} for a while`);
    await (await operator.acquire(`${key} for a while`, resource, { rpm: 1 })).commit();
    await entities.delete(`${key} for a while`);

    const { events } = await audit.list({ subject: `entity/${key}` });
    expect(events.map(({ action }) => action)).toEqual(expect.arrayContaining(['entity.create', 'entity.move']));
  });

  it('serves it', async () => {
    const service = await open('Acquire', 'tenant-a');

    await service.withLease(key, resource, { rpm: 3 }, async (lease) => lease.adjust({ rpm: 1 }));
    await (await service.acquire(key, resource, { rpm: 1 })).release();

    expect(await service.available(key, resource)).toMatchObject({ rpm: expect.any(Number) });
    await expect(service.limits.setSystem(OTHER_LIMITS)).rejects.toMatchObject(DENIED);
    await expect(service.entities.create('another')).rejects.toMatchObject(DENIED);
    await expect(service.usage.summary(aDayOf(key))).rejects.toMatchObject(DENIED);
  });

  it('reads it: limits, entities, buckets, usage by entity and by resource, and the audit log', async () => {
    const { available, ...reader } = readings(await open('Read', 'tenant-a'));

    expect(await available()).toMatchObject({ rpm: expect.any(Number) });
    await expect.poll(reader.used, { timeout: 10_000, interval: 100 }).toMatchObject({ rpm: { net: expect.any(Number) } });
    await expect.poll(reader.top, { timeout: 10_000, interval: 100 }).toContain(key);
    expect(await reader.names()).toEqual([expect.arrayContaining([key, project]), [key], expect.arrayContaining([resource])]);
    expect(await reader.events()).toBeGreaterThan(0);
    await expect(reader.limiter.acquire(key, resource, { rpm: 1 })).rejects.toMatchObject(DENIED);
    await expect(reader.limiter.limits.setSystem(OTHER_LIMITS)).rejects.toMatchObject(DENIED);
  });

  it('is refused all of that in another namespace, and in the registry of them', async () => {
    const [operating, serving, reading] = [
      await open('Admin', 'tenant-b'),
      await open('Acquire', 'tenant-b'),
      await open('Read', 'tenant-b'),
    ];
    const credentials = await roleSession(`${prefix}Admin`, tags);

    await expect(serving.acquire(key, resource, { rpm: 1 })).rejects.toMatchObject(DENIED);
    await expect(operating.limits.setSystem(OTHER_LIMITS)).rejects.toMatchObject(DENIED);
    await expect(operating.entities.create('another')).rejects.toMatchObject(DENIED);
    await expect(reading.limits.getSystem()).rejects.toMatchObject(DENIED);
    await expect(reading.usage.summary(aDayOf(key))).rejects.toMatchObject(DENIED);
    await expect(operating.namespaces.list()).rejects.toMatchObject(DENIED);
    await expect(openNamespaces({ table: deployed.table, credentials })).rejects.toMatchObject(DENIED);
  });

  /** Applies a manifest by the command line, in the operator's role. */
  async function applyManifest(text: string): Promise<void> {
    const { accessKeyId, secretAccessKey, sessionToken } = await roleSession(`${prefix}Admin`, tags);
    const role = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken };
    const folder = await mkdtemp(join(tmpdir(), 'millrace-fenced-'));
    const file = join(folder, 'limits.yaml');
    await writeFile(file, text);
    const options = ['limits', 'apply', '-f', file, '--namespace', 'tenant-a', '--table', deployed.table, '--yes'];
    const { code, said } = await command(process.execPath, ['packages/cli/dist/main.js', ...options], role);
    await rm(folder, { recursive: true });
    expect(code, said).toBe(0);
  }

  /** What somebody with a dashboard asks. */
  function readings(limiter: RateLimiter) {
    const start = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS);
    const top = { resource, type: 'hour', start, limitName: 'rpm' } as const;
    return {
      limiter,
      available: () => limiter.available(key, resource),
      used: async () => (await limiter.usage.summary(aDayOf(key))).resources[resource],
      top: async () => JSON.stringify(await limiter.usage.top(top)),
      names: async () => [
        (await limiter.entities.list()).ids,
        (await limiter.entities.children(project)).ids,
        (await limiter.limits.listResources()).names,
      ],
      events: async () => (await limiter.audit.list({ subject: `entity/${key}` })).events.length,
    };
  }
});

function aDayOf(entity: string) {
  const from = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS);
  return { entity, from, to: new Date(from.getTime() + 3 * HOUR_MS) };
}
