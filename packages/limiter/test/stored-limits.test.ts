import { Limit, type RateLimiter } from '@millrace/limiter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LONGEST_NAMES } from '../../core/test/any-name.js';
import { type OpenTable, openTable } from './open-table.js';

const limits = [Limit.perMinute('rpm', 3), Limit.perMinute('tpm', 800_000, { capacity: 900_000, reserve: 0 })];

let table: OpenTable;
let limiter: RateLimiter;
beforeAll(async () => {
  table = await openTable();
  limiter = await table.open({ actor: 'ann' });
});
afterAll(() => table.close());

describe('stored limits on a real engine', () => {
  it('are set, read, listed and deleted, and services take by them', async () => {
    await limiter.limits.setSystem(limits);
    await limiter.limits.setResource('gpt-4', limits);
    await limiter.limits.setEntityDefault('key-1', limits);
    await limiter.limits.setEntity('key-1', 'gpt-4', limits);
    await limiter.limits.setOnUnavailable('allow');

    expect(await limiter.limits.getEntity('key-1', 'gpt-4')).toMatchObject({ limits });
    expect(await limiter.limits.listResources()).toEqual({ names: ['gpt-4'] });
    expect(await limiter.limits.listEntities('gpt-4')).toEqual({ names: ['key-1'] });
    expect((await limiter.limits.listOfEntity('key-1')).levels.map(({ resource }) => resource)).toEqual([undefined, 'gpt-4']);
    await limiter.acquire('key-1', 'gpt-4', { rpm: 3 });
    expect(await limiter.tryAcquire('key-1', 'gpt-4', { rpm: 1 })).toMatchObject({ allowed: false });

    expect(await limiter.limits.deleteEntity('key-1', 'gpt-4')).toBe(true);
    expect(await limiter.limits.deleteEntity('key-1', 'gpt-4')).toBe(false);
    expect(await limiter.limits.deleteSystem()).toBe(true);
    expect(await limiter.limits.getSystem()).toBeUndefined();
    expect(await limiter.limits.getOnUnavailable()).toBe('allow');
    expect(await limiter.limits.listEntities('gpt-4')).toEqual({ names: [] });
  });

  it('keep what each of many writers at once has written, one after the other, each with its event', async () => {
    const writers = await Promise.all(Array.from({ length: 5 }, (_, index) => table.open({ actor: `writer-${index}` })));

    await Promise.all(writers.map((writer, index) => writer.limits.setResource('contended', [Limit.perMinute('rpm', index + 1)])));

    const { events } = await limiter.audit.list({ subject: 'resource/contended' });
    const amounts = (value: unknown): number | undefined => (value as { limits: { refill: number }[] } | undefined)?.limits[0]?.refill;
    const steps = events.map(({ before, after }) => [amounts(before), amounts(after)] as const);
    expect(steps).toHaveLength(5);
    // Each began where another had ended: no event tells of a state that never was.
    expect(new Set(steps.map(([before]) => before)).size).toBe(5);
    const last = (await limiter.limits.getResource('contended'))?.limits[0]?.refill;
    expect(steps.map(([, after]) => after).filter((after) => !steps.some(([before]) => before === after))).toEqual([last]);
  });

  it('have names as long and as odd as there are any, which lists give back in pages', async () => {
    for (const name of LONGEST_NAMES) {
      await limiter.limits.setEntity(name, 'odd', limits);
      await limiter.limits.setEntity('odd', name, limits);
    }

    const found: string[] = [];
    let next: string | undefined;
    do {
      const page = await limiter.limits.listEntities('odd', { pageSize: 1, ...(next === undefined ? {} : { after: next }) });
      found.push(...page.names);
      next = page.next;
    } while (next !== undefined);
    expect(found.sort()).toEqual([...LONGEST_NAMES].sort());
    const { levels } = await limiter.limits.listOfEntity('odd');
    expect(levels.map(({ resource }) => resource).sort()).toEqual([...LONGEST_NAMES].sort());
  });
});
