import type { RateLimiter } from '@millrace/limiter';
import { administrationOf } from '@millrace/limiter/admin';
import { type ApplyProgress, applyManifest, diffManifest, ManifestLocked, manifest, parseManifest, plan, readLive } from '@millrace/limits';
import { CrashingTable } from '@millrace/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenTable, openTable } from '../../limiter/test/open-table.js';
import { told } from './manifest-world.js';

const COUNT = 500;
const LONGEST = ['/'.repeat(256), '%'.repeat(256), '😀'.repeat(64)] as const;

let table: OpenTable;
let limiter: RateLimiter;
beforeAll(async () => {
  table = await openTable();
  limiter = await table.open({ actor: 'ci' });
});
afterAll(() => table.close());

/** The text of a manifest of five hundred entities. */
function text(rpm: number): string {
  const entities = Array.from({ length: COUNT }, (_, index) => `  tenant-${index}: { resources: { gpt-4: *limits } }\n`);
  return `name: tenants\nsystem: { limits: &limits [rpm:${rpm}/min, tpm:80000/min] }\nentities:\n${entities.join('')}`;
}

describe('a manifest of five hundred entities on a real engine', () => {
  it('is applied, changed, mended and pruned, and services obey', async () => {
    const progress: ApplyProgress[] = [];
    await limiter.limits.setResource('by hand', [{ name: 'rpm', refill: 1, periodMs: 1_000 }]);

    await applyManifest(limiter, parseManifest(text(2)), { onProgress: (step) => progress.push(step) });

    expect(progress.at(-1)).toEqual({ done: COUNT + 1, total: COUNT + 1 });
    expect(told(plan(parseManifest(text(2)), await readLive(limiter, parseManifest(text(2)))))).toEqual([]);
    await limiter.acquire('tenant-7', 'gpt-4', { rpm: 2 });
    expect(await limiter.tryAcquire('tenant-7', 'gpt-4', { rpm: 1 })).toMatchObject({ allowed: false });

    await limiter.limits.setEntity('tenant-9', 'gpt-4', [{ name: 'rpm', refill: 9, periodMs: 1_000 }]);
    expect(await diffManifest(limiter, parseManifest(text(2)))).toMatchObject([{ kind: 'changed', target: 'entity/tenant-9/gpt-4' }]);
    const { summary } = await applyManifest(limiter, parseManifest(text(2)));
    expect(summary).toEqual({ create: 0, update: 1, delete: 0, unchanged: COUNT });

    await applyManifest(limiter, manifest({ name: 'tenants' }));
    expect(await limiter.limits.listEntities('gpt-4')).toEqual({ names: [] });
    expect(await limiter.limits.listResources()).toEqual({ names: ['by hand'] });
  });

  it('is finished by the next apply when one is killed half way', async () => {
    const parts = administrationOf(limiter);
    const dying = { ...parts, items: new CrashingTable(parts.items, { at: 14, when: 'after' }) };
    await expect(applyManifest(dying, parseManifest(text(3)), { owner: 'ci' })).rejects.toThrow('the process dies');

    const half = plan(parseManifest(text(3)), await readLive(limiter, parseManifest(text(3))));
    expect(half.summary.unchanged).toBeGreaterThan(0);
    expect(half.summary.create).toBeGreaterThan(0);
    await expect(applyManifest(limiter, parseManifest(text(3)))).rejects.toBeInstanceOf(ManifestLocked);
    await applyManifest(limiter, parseManifest(text(3)), { owner: 'ci' });

    expect(await diffManifest(limiter, parseManifest(text(3)))).toEqual([]);
  });

  it('is applied by one of two at once', async () => {
    const other = await table.open();
    const outcomes = await Promise.allSettled([
      applyManifest(limiter, parseManifest(text(4)), { owner: 'a' }),
      applyManifest(other, parseManifest(text(5)), { owner: 'b' }),
    ]);

    const [won] = outcomes.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []));
    const lost = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(lost).toEqual([expect.any(ManifestLocked)]);
    expect(await diffManifest(limiter, parseManifest(text(won === 0 ? 4 : 5)))).toEqual([]);
  });
});

describe('names on a real engine', () => {
  it('may be as long and as odd as there are any', async () => {
    const resources = Object.fromEntries(LONGEST.map((name) => [name, ['rpm:5/min']]));
    const entities = Object.fromEntries(LONGEST.map((name) => [name, { default: ['rpm:5/min'], resources }]));
    const odd = manifest({ name: 'm/%', resources, entities });

    await applyManifest(limiter, odd);

    expect(await diffManifest(limiter, odd)).toEqual([]);
    for (const name of LONGEST) expect([...(await limiter.limits.listEntities(name)).names].sort()).toEqual([...LONGEST].sort());
    await applyManifest(limiter, manifest({ name: 'm/%' }));
    for (const name of LONGEST) expect(await limiter.limits.listEntities(name)).toEqual({ names: [] });
  });
});

describe('a manifest of a namespace', () => {
  it('is refused where that is another', async () => {
    const call = applyManifest(limiter, manifest({ namespace: 'other', resources: { api: ['rpm:5/min'] } }));
    await expect(call).rejects.toMatchObject({ code: 'VALIDATION' });
    await applyManifest(limiter, manifest({ name: 'here', namespace: 'default', resources: { api: ['rpm:5/min'] } }));
  });
});
