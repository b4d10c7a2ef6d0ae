import { Limit } from '@millrace/core';
import type { ItemTable } from '@millrace/limiter/admin';
import { applyManifest, manifest } from '@millrace/limits';
import { CrashingTable } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { entities, properties, StackWorld } from './stack-world.js';

const first = properties({ system: { limits: ['rpm:1/min'] }, entities: entities('rpm:1/min', 0, 30) }, { Prune: 'true' });
const second = properties({ resources: { api: ['rpm:2/min'] }, entities: entities('rpm:2/min', 15, 60) }, { Prune: 'true' });
const ID = 'limits-table/default/m';

/** A stack whose limits were created, beside some that were set by hand. */
async function start(): Promise<StackWorld> {
  const world = new StackWorld();
  await world.limits.limits.setResource('api', [Limit.perMinute('rpm', 7)]);
  await world.request(world.create(first));
  return world;
}

/** The table, but for some transactions, counted from 1, that fail. */
function failing(world: StackWorld, isFailing: (sent: number) => boolean): ItemTable {
  let sent = 0;
  return {
    ...world.limits.parts.items,
    transact: (writes) => {
      sent += 1;
      return isFailing(sent) ? Promise.reject(new Error(`no answer to write ${sent}`)) : world.limits.parts.items.transact(writes);
    },
  };
}

describe('an update whose writes fail in the middle', () => {
  it.each([3, 4, 5])('puts back all that it had changed, and says so: from write %i on', async (at) => {
    const world = await start();
    const seen = world.seen();
    world.items = failing(world, (sent) => sent >= at && sent < at + 3);

    const answer = await world.request(world.update(ID, second, first));

    expect(answer).toMatchObject({ Status: 'FAILED', PhysicalResourceId: ID });
    expect(answer.Reason).toMatch(new RegExp(`^Error: no answer to write ${at}; what was changed is as it was before \\(\\d+ put back\\)`));
    expect(world.seen()).toEqual(seen);

    world.items = world.limits.parts.items;
    const rollback = await world.request(world.update(ID, first, second));
    expect(rollback).toMatchObject({ Status: 'SUCCESS', Data: { Created: '0', Updated: '0', Deleted: '0' } });
    expect(world.seen()).toEqual(seen);
  });

  it('fails before anything is written when it cannot even say what it is about to do', async () => {
    const world = await start();
    const seen = world.seen();
    world.items = failing(world, (sent) => sent === 1);
    const answer = await world.request(world.update(ID, second, first));
    expect(answer).toMatchObject({ Status: 'FAILED', Reason: 'Error: no answer to write 1 (log: group, stream)' });
    expect(world.seen()).toEqual(seen);
  });

  it('says so where it could not put back, and the rollback of CloudFormation makes it right', async () => {
    const world = await start();
    world.items = failing(world, (sent) => sent >= 4);

    const answer = await world.request(world.update(ID, second, first));

    expect(answer.Reason).toContain('and what was changed could not be put back');
    world.items = world.limits.parts.items;
    world.remainingMs = 300_000;
    expect(await world.request(world.update(ID, first, second))).toMatchObject({ Status: 'SUCCESS' });
    const drift = await world.invoke({ action: 'drift' });
    expect(drift).toMatchObject({ inSync: true });
  });
});

describe('a creation that fails', () => {
  it('is deleted without touching what the manifest had made before', async () => {
    const world = new StackWorld();
    await applyManifest(world.limits.parts, manifest({ name: 'm', resources: { before: ['rpm:1/min'] } }));
    const seen = world.seen();
    world.items = failing(world, (sent) => sent === 4);

    const event = { ...second, OnDelete: 'remove' };
    const answer = await world.request(world.create(event));
    expect(answer).toMatchObject({ Status: 'FAILED', PhysicalResourceId: `${ID}!not-created` });
    const deletion = await world.request(world.delete(answer.PhysicalResourceId, event));

    expect(deletion).toMatchObject({ Status: 'SUCCESS', Data: { Note: 'it was never created: nothing was changed' } });
    expect(world.seen()).toEqual(seen);
  });

  it('is deleted for good where it could not be put back', async () => {
    const world = new StackWorld();
    world.items = failing(world, (sent) => sent >= 4);
    const event = { ...second, OnDelete: 'remove' };
    const answer = await world.request(world.create(event));
    expect(answer).toMatchObject({ Status: 'FAILED', PhysicalResourceId: ID });

    world.items = world.limits.parts.items;
    world.remainingMs = 300_000;
    await world.request(world.delete(answer.PhysicalResourceId, event));
    expect(world.seen()).toEqual([]);
  });
});

describe('a function that dies', () => {
  it('is gone on with by the next delivery of the request, whatever it had come to', async () => {
    const whole = await start();
    const counting = new CrashingTable(whole.limits.parts.items);
    whole.items = counting;
    await whole.request(whole.update(ID, second, first));
    const done = whole.seen();

    for (let at = 1; at <= counting.requests; at += 1) {
      const world = await start();
      const event = world.update(ID, second, first);
      world.items = new CrashingTable(world.limits.parts.items, { at, when: 'after' });
      await world.invoke(event);
      world.items = world.limits.parts.items;
      world.remainingMs = 300_000;

      expect(await world.request(event)).toMatchObject({ Status: 'SUCCESS' });
      expect(world.seen()).toEqual(done);
    }
  });
});

describe('the time of an invocation', () => {
  it('ends a request to the table that never comes back: the answer is sent, and nothing is written afterwards', async () => {
    const world = await start();
    let letGo = (): void => undefined;
    let sent = 0;
    const transact: ItemTable['transact'] = async (writes) => {
      sent += 1;
      if (sent === 3) await new Promise<void>((resolve) => (letGo = resolve));
      return world.limits.parts.items.transact(writes);
    };
    let held = (): void => undefined;
    const reached = new Promise<void>((resolve) => (held = resolve));
    world.items = {
      ...world.limits.parts.items,
      transact: (writes) => {
        const done = transact(writes);
        if (sent === 3) held();
        return done;
      },
    };

    const invocation = world.invoke(world.update(ID, second, first));
    await reached;
    world.timeUp();
    await invocation;

    expect(world.last()).toMatchObject({ Status: 'FAILED', PhysicalResourceId: ID });
    expect(world.last().Reason).toContain("the function's time was up before the request was carried out");
    letGo();
    for (let turns = 0; turns < 100; turns += 1) await Promise.resolve();
    expect(sent).toBe(3);
  });

  it('ends an apply that takes too long while there is time to put things back', async () => {
    const world = await start();
    const seen = world.seen();
    let sent = 0;
    world.items = {
      ...world.limits.parts.items,
      transact: (writes) => {
        sent += 1;
        if (sent === 3) world.remainingMs = 120_000;
        return world.limits.parts.items.transact(writes);
      },
    };

    const answer = await world.request(world.update(ID, second, first));

    expect(answer.Reason).toMatch(/^the function's time was up before all was written; .*what was changed is as it was before/);
    expect(world.seen()).toEqual(seen);
  });

  it('is spent waiting for another apply, and no longer', async () => {
    const world = await start();
    const seen = world.seen();
    const dying = new CrashingTable(world.limits.parts.items, { at: 5, when: 'before' });
    const there = { ...world.limits.parts, items: dying };
    const hour = { owner: 'somebody at a terminal', leaseMs: 3_600_000 };
    await applyManifest(there, manifest({ name: 'm', entities: {} }), hour).catch(() => undefined);

    const answer = await world.request(world.update(ID, second, first));

    expect(answer.Reason).toContain('manifest "m" is being applied: "somebody at a terminal" has held it since');
    expect(world.remainingMs).toBeGreaterThan(15_000);
    expect(world.seen()).toEqual(seen);
  });
});

describe('the answer', () => {
  it('has at most 4096 bytes, however much was changed, and says how much it leaves out', async () => {
    const world = new StackWorld();
    const names = Array.from({ length: 300 }, (_, index) => `${index} ${'ü"'.repeat(80)}`);
    const many = properties({ resources: Object.fromEntries(names.map((name) => [name, ['rpm:1/min']])) });

    const answer = await world.request(world.create(many));

    expect(Buffer.byteLength(world.sent[0] ?? '')).toBeLessThanOrEqual(4_096);
    expect(Buffer.byteLength(world.sent[0] ?? '')).toBeGreaterThan(3_500);
    expect(answer.Data?.['Created']).toBe('300');
    expect(answer.Data?.['Changes']).toMatch(/\nand \d+ more$/);
  });

  it('has at most 4096 bytes with the longest reason and the longest names', async () => {
    const world = new StackWorld();
    world.opening = () => {
      throw new Error('"ü'.repeat(5_000));
    };
    const long = { StackId: 's'.repeat(1_000), LogicalResourceId: 'l'.repeat(255) };
    await world.request(world.create(properties({}), long));
    expect(Buffer.byteLength(world.sent[0] ?? '')).toBeLessThanOrEqual(4_096);
    expect(world.last().Reason).toMatch(/…$/);
  });
});
