import { Limit, type RateLimiter } from '@millrace/limiter';
import { type Administration, administrationOf } from '@millrace/limiter/admin';
import { CrashingTable, type CrashPoint } from '@millrace/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Entities } from '../src/admin/entities.js';
import { type OpenTable, openTable } from './open-table.js';
import { PlantedTree } from './planted-tree.js';

const CAPACITY = 10;
const limits = [Limit.perMinute('rpm', CAPACITY), Limit.perMinute('tpm', 1_000, { reserve: 0 })];
const clock = { nowMs: () => 1_800_000_000_000 };

let table: OpenTable;
let limiter: RateLimiter;
let tests = 0;
beforeAll(async () => {
  table = await openTable();
});
beforeEach(async () => {
  tests += 1;
  limiter = await fresh(`tests-${tests}`);
});
afterAll(() => table.close());

/** A limiter of a namespace that nobody else uses. */
async function fresh(name: string): Promise<RateLimiter> {
  const first = await table.open({ clock, requestTimeoutMs: 30_000 });
  await first.namespaces.register(name);
  return first.namespace(name);
}

/** What is left of a limit in an entity's own bucket. */
async function left(entity: string, limit = 'rpm'): Promise<number | undefined> {
  const only = (name: string) => (name === entity ? limits : undefined);
  return (await limiter.available(entity, 'api', { limits: only }))[limit];
}

async function chain(...ids: readonly string[]): Promise<void> {
  for (const [index, id] of ids.entries()) {
    const parent = ids[index - 1];
    await limiter.entities.create(id, parent === undefined ? {} : { parent, cascade: true });
  }
}

describe('an entity that is moved', () => {
  it('is charged, with all below it, at the new ancestors and no more at the old, by whoever still knew the old', async () => {
    await chain('org', 'project', 'key');
    await chain('company', 'department');
    const stale = await (await table.open({ clock })).namespace(`tests-${tests}`);
    await stale.acquire('key', 'api', { rpm: 1 }, { limits });

    await limiter.entities.move('project', { parent: 'department' });
    await limiter.entities.move('department', { cascade: false });
    await limiter.acquire('key', 'api', { rpm: 1 }, { limits });
    await stale.acquire('key', 'api', { rpm: 1 }, { limits });

    expect(await Promise.all(['key', 'project', 'org', 'department', 'company'].map((id) => left(id)))).toEqual([7, 7, 9, 8, 10]);
  });

  it('with more below it than a transaction holds brings them all along', async () => {
    await chain('org', 'project');
    await chain('company');
    const ids = Array.from({ length: 130 }, (_, index) => `key-${index}`);
    await Promise.all(['a', 'b', 'c'].map((id) => limiter.entities.create(id, { parent: 'project' })));
    for (const [index, id] of ids.entries()) await limiter.entities.create(id, { parent: 'abc'[index % 3] ?? '', cascade: true });

    await limiter.entities.move('project', { parent: 'company' });

    for (const [index, id] of ids.entries()) {
      expect((await limiter.entities.get(id))?.ancestors).toEqual(['abc'[index % 3], 'project', 'company']);
    }
    expect((await limiter.entities.children('org')).ids).toEqual([]);
  });

  it('is never part of a ring, however many are moved at once', async () => {
    await chain('a', 'a1', 'a2');
    await chain('b', 'b1', 'b2');
    await chain('c', 'c1', 'c2');

    const moves = await Promise.allSettled([
      limiter.entities.move('a', { parent: 'b2' }),
      limiter.entities.move('b', { parent: 'c2' }),
      limiter.entities.move('c', { parent: 'a2' }),
    ]);

    expect(moves.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    const roots = await Promise.all(['a', 'b', 'c'].map((id) => limiter.entities.get(id)));
    expect(roots.filter((root) => root?.parent === undefined)).toHaveLength(1);
  });
});

describe('an entity that is controlled', () => {
  it('is refused, let pass or only counted, and as before after that', async () => {
    await limiter.entities.disable('key', { reason: 'unpaid' });
    await expect(limiter.acquire('key', 'api', { rpm: 1 }, { limits })).rejects.toMatchObject({
      code: 'ENTITY_DISABLED',
      reason: 'unpaid',
    });

    await limiter.entities.bypass('key');
    await limiter.acquire('key', 'api', { rpm: CAPACITY }, { limits });
    await limiter.acquire('key', 'api', { rpm: CAPACITY }, { limits });

    await limiter.entities.shadow('key');
    await limiter.acquire('key', 'api', { rpm: CAPACITY }, { limits });
    await limiter.acquire('key', 'api', { rpm: 1 }, { limits });

    await limiter.entities.enable('key');
    expect(await limiter.tryAcquire('key', 'api', { rpm: 1 }, { limits })).toMatchObject({ allowed: false });
  });
});

describe('a bucket that is changed by an administrator', () => {
  it('has what it was granted, up to full, and all when it is reset; what was used stays counted', async () => {
    await limiter.acquire('key', 'api', { rpm: CAPACITY, tpm: 700 }, { limits });

    await limiter.entities.grant('key', 'api', { rpm: 4 });
    expect([await left('key'), await left('key', 'tpm')]).toEqual([4, 300]);
    await limiter.acquire('key', 'api', { rpm: 4 }, { limits });
    await expect(limiter.acquire('key', 'api', { rpm: 1 }, { limits })).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });

    await limiter.entities.grant('key', 'api', { tpm: 5_000 });
    expect(await left('key', 'tpm')).toBe(1_000);

    await limiter.entities.reset('key', 'api');
    expect([await left('key'), await left('key', 'tpm')]).toEqual([CAPACITY, 1_000]);
    await limiter.acquire('key', 'api', { rpm: CAPACITY }, { limits });
    await expect(limiter.acquire('key', 'api', { rpm: 1 }, { limits })).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    const { events } = await limiter.audit.list({ subject: 'entity/key' });
    expect(new Set(events.map(({ action }) => action))).toEqual(new Set(['bucket.grant', 'bucket.reset']));
  });

  it('is given back to by a lease that is open, and is never more than full', async () => {
    const lease = await limiter.acquire('key', 'api', { rpm: 6 }, { limits });
    await limiter.entities.reset('key', 'api');

    await lease.release();

    expect(await left('key')).toBe(CAPACITY);
    await limiter.acquire('key', 'api', { rpm: CAPACITY }, { limits });
    expect(await limiter.tryAcquire('key', 'api', { rpm: 1 }, { limits })).toMatchObject({ allowed: false });
  });
});

describe('a deletion that dies', () => {
  /** Deletes through a process that dies at a point, and says how many requests it sent. */
  async function deleteAndDie(parts: Administration, point?: CrashPoint): Promise<number> {
    const items = new CrashingTable(parts.items, point);
    const deletion = new Entities({ ...parts, items }).delete('org', { children: true });
    await deletion.catch((error: Error & { code?: string }) =>
      expect([error.name, error.code]).toContain(point === undefined ? 'ENTITY_NOT_FOUND' : 'Crash'),
    );
    return items.requests;
  }

  async function plant(name: string): Promise<RateLimiter> {
    const own = await fresh(name);
    const tree = new PlantedTree(administrationOf(own));
    await tree.plant('company', undefined, { limitsOn: ['api'], buckets: { api: 1 } });
    await tree.plant('org', 'company', { limitsOn: ['api'], isDisabled: true, buckets: { api: 3 }, manifest: 'm' });
    await tree.plant('key-1', 'org', { hasDefault: true, buckets: { api: 1, 'a/b': 1 } });
    await tree.plant('key-2', 'org');
    return own;
  }

  /** All that a namespace shows of what it holds, and how many items of it are neither events nor tombstones. */
  async function shown(own: RateLimiter) {
    const { items, namespaceId } = administrationOf(own);
    const partitions = ['company', 'org', 'key-1', 'key-2'].flatMap((id) => [`e/${id}`, `b/${id}/0`, `b/${id}/1`, `b/${id}/2`]);
    const pages = await Promise.all(partitions.map((each) => items.query({ partition: `${namespaceId}/${each}`, pageSize: 100 })));
    return {
      entities: (await own.entities.list()).ids,
      children: (await own.entities.children('company')).ids,
      limited: (await own.limits.listEntities('api')).names,
      items: pages.flatMap((page) => page.items).filter((item) => item['deleted'] !== true).length,
    };
  }

  it('at any request, before or after it was carried out, is finished by a second one on a real engine', async () => {
    const requests = await deleteAndDie(administrationOf(await plant('whole')));
    expect(requests).toBeGreaterThan(20);
    const outsider = await plant('outsider');
    const before = await shown(outsider);

    for (const when of ['before', 'after'] as const) {
      for (let at = 1; at <= requests; at += 1) {
        const own = await plant(`${when}-${at}`);
        await deleteAndDie(administrationOf(own), { at, when });

        await deleteAndDie(administrationOf(own));

        expect([when, at, await shown(own)]).toEqual([when, at, { entities: ['company'], children: [], limited: ['company'], items: 3 }]);
      }
    }
    expect(await shown(outsider)).toEqual(before);
  });
});
