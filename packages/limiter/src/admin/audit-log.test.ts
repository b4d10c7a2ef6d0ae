import { MillraceError } from '@millrace/core';
import { CrashingTable } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { registryWorld, START_MS } from '../../test/registry-world.js';
import { auditWrites } from './audit-event.js';
import { AuditLog, eventIds } from './audit-log.js';

const MINUTE_MS = 60_000;

/** A log of a namespace with an event each minute, of two subjects by turns. */
async function filled(count: number) {
  const world = registryWorld('ns1');
  for (let index = 0; index < count; index += 1) {
    const event = {
      id: world.parts.newEventId(),
      action: 'limits.set',
      subject: index % 2 === 0 ? 'entity/a' : 'resource/b',
      after: index,
    } as const;
    await world.table.transact(auditWrites('ns1', event, world.nowMs));
    world.nowMs += MINUTE_MS;
  }
  const all = async (options: Parameters<AuditLog['list']>[0]): Promise<unknown[]> => {
    const seen: unknown[] = [];
    let after: string | undefined;
    do {
      const page = await world.audit.list({ ...options, ...(after === undefined ? {} : { after }) });
      seen.push(...page.events.map((event) => event.after));
      after = page.next;
    } while (after !== undefined);
    return seen;
  };
  return { ...world, all };
}

const minute = (index: number, ms = 0): Date => new Date(START_MS + index * MINUTE_MS + ms);

describe('the audit log', () => {
  it('gives all events of a namespace, newest first, a page at a time', async () => {
    const { audit, all } = await filled(5);

    expect(await all({})).toEqual([4, 3, 2, 1, 0]);
    expect(await all({ pageSize: 2 })).toEqual([4, 3, 2, 1, 0]);
    expect(await all({ pageSize: 2, order: 'oldest-first' })).toEqual([0, 1, 2, 3, 4]);
    expect(await audit.list({ pageSize: 5 })).not.toHaveProperty('next');
    expect((await audit.list({ pageSize: 1 })).events[0]).toMatchObject({ action: 'limits.set', subject: 'entity/a', at: minute(4) });
  });

  it('gives those of a subject, and of none that only looks like it', async () => {
    const { all } = await filled(5);

    expect(await all({ subject: 'entity/a' })).toEqual([4, 2, 0]);
    expect(await all({ subject: 'resource/b', pageSize: 1 })).toEqual([3, 1]);
    expect(await all({ subject: 'entity/A' })).toEqual([]);
    expect(await all({ subject: 'system' })).toEqual([]);
  });

  it('gives those of a time, to the millisecond, in a half-open range (the peer has no query by time, and knows only seconds, W-43)', async () => {
    const { all } = await filled(5);

    expect(await all({ from: minute(2) })).toEqual([4, 3, 2]);
    expect(await all({ from: minute(2, 1) })).toEqual([4, 3]);
    expect(await all({ to: minute(2) })).toEqual([1, 0]);
    expect(await all({ to: minute(2, 1) })).toEqual([2, 1, 0]);
    expect(await all({ from: minute(1), to: minute(3), order: 'oldest-first', pageSize: 1 })).toEqual([1, 2]);
    expect(await all({ from: minute(1), to: minute(3), subject: 'entity/a' })).toEqual([2]);
    expect(await all({ from: minute(2), to: minute(2, 1) })).toEqual([2]);
    expect(await all({ from: minute(2), to: minute(2) })).toEqual([]);
  });

  it('goes on from page to page where it was, whatever is done meanwhile', async () => {
    const world = await filled(5);
    const append = async () => {
      world.nowMs += 1;
      const event = { id: world.parts.newEventId(), action: 'limits.set', subject: 'entity/a', after: 'meanwhile' } as const;
      await world.table.transact(auditWrites('ns1', event, world.nowMs));
    };
    for (const order of ['newest-first', 'oldest-first'] as const) {
      const seen: unknown[] = [];
      let after: string | undefined;
      do {
        const page = await world.audit.list({ order, to: minute(5), pageSize: 2, ...(after === undefined ? {} : { after }) });
        seen.push(...page.events.map((event) => event.after));
        after = page.next;
        await append();
      } while (after !== undefined);

      expect(seen).toEqual(order === 'newest-first' ? [4, 3, 2, 1, 0] : [0, 1, 2, 3, 4]);
    }
  });

  it('finds events about namespaces by their subject, whatever namespace is asked, and they outlive it', async () => {
    const world = registryWorld('ns1');
    await world.namespaces.register('acme', { actor: 'ada' });
    await world.namespaces.delete('acme', { actor: 'bob' });
    await world.namespaces.purge('acme');

    const { events } = await world.audit.list({ subject: 'namespace/acme' });

    expect(events.map(({ action, actor }) => [action, actor])).toEqual([
      ['namespace.purge', undefined],
      ['namespace.purge', undefined],
      ['namespace.delete', 'bob'],
      ['namespace.register', 'ada'],
    ]);
    expect(events[2]).toMatchObject({ before: { state: 'active' }, after: { state: 'deleted' } });
    expect((await world.audit.list()).events).toEqual([]);
    const whole = (await new AuditLog({ ...world.parts, namespaceId: '_' }).list()).events;
    // The first namespace of a table brings the record of the schema.
    expect(whole.filter(({ subject }) => subject !== 'schema')).toEqual(events);
  });

  it('has an event exactly for what has happened (the peer writes it after the change, and may fail between, W-43)', async () => {
    for (const when of ['before', 'after'] as const) {
      const world = registryWorld();
      const crashing = world.through(new CrashingTable(world.table, { at: 4, when }));
      await expect(crashing.register('acme')).rejects.toMatchObject({ name: 'Crash' });

      const { events } = await world.audit.list();

      expect(events.map(({ action }) => action)).toEqual(when === 'after' ? ['namespace.register', 'schema.migrate'] : []);
      expect((await world.namespaces.describe('acme')) === undefined).toBe(when === 'before');
    }
  });

  it.each<[string, Parameters<AuditLog['list']>[0], string]>([
    ['a subject of no kind', { subject: 'key-1' }, 'option "subject"'],
    ['a subject without a name', { subject: 'entity/' }, 'option "subject"'],
    ['a time that is none', { from: new Date('never') }, 'option "from"'],
    ['a time that is a number', { to: 5 as never }, 'option "to"'],
    ['a time before all times', { from: new Date(-1) }, 'option "from"'],
    ['an end before the start', { from: minute(1), to: minute(0) }, 'option "to"'],
    ['a page without room', { pageSize: 0 }, 'option "pageSize"'],
    ['a place that is no event', { after: 'acme' }, 'option "after"'],
    ['an order that is none', { order: 'newest' as never }, 'option "order"'],
    ['an option that nobody reads', { limit: 5 } as never, 'options key'],
  ])('refuses %s', async (_, options, subject) => {
    const { audit } = registryWorld();

    const error = await audit.list(options).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(MillraceError);
    expect(error).toMatchObject({ name: 'ValidationError', subject });
  });
});

describe('ids of events', () => {
  it('grow within a millisecond, and when time goes back (the ULIDs of the peer are random within a millisecond, W-43)', () => {
    let nowMs = START_MS + 0.75;
    const next = eventIds(() => nowMs);

    const ids = Array.from({ length: 500 }, () => next());
    nowMs -= 5_000;
    ids.push(next());
    nowMs += 5_001;
    ids.push(next());

    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(502);
  });
});
