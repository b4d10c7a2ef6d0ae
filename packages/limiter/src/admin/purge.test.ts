import { CrashingTable } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { interrupted, type RegistryWorld, registryWorld, START_MS } from '../../test/registry-world.js';

const THIRTY = Array.from({ length: 30 }, (_, index) => `key-${index}`);

/** Names that make the same key wherever names themselves are put into keys. */
const NEIGHBOURS = ['acme/', 'acme/e', 'acm', 'acme%2F', 'ACME'];

interface Purgeable extends RegistryWorld {
  readonly id: string;
  readonly neighbours: readonly string[];
}

/** A deleted namespace `acme` with thirty entities, and neighbours with a few each, one of them deleted too. */
async function purgeable(): Promise<Purgeable> {
  const world = registryWorld();
  const { id } = await world.namespaces.register('acme');
  world.furnish(id, THIRTY);
  const neighbours: string[] = [];
  for (const name of NEIGHBOURS) {
    const neighbour = await world.namespaces.register(name);
    world.furnish(neighbour.id, ['key-0', id, 'acme']);
    neighbours.push(neighbour.id);
  }
  // Nothing but a whole first part may count: these begin with the id, or have it elsewhere.
  for (const partition of [`${id}0/e/x`, `x${id}/e/x`, `_/${id}/x`, id]) world.table.put({ PK: partition, SK: 'entity', v: 1 });
  await world.namespaces.delete('ACME');
  await world.namespaces.delete('acme');
  return { ...world, id, neighbours };
}

describe('purging a namespace', () => {
  it('deletes all that it holds and nothing else, and frees the name', async () => {
    const world = await purgeable();
    const [before, held] = [world.others(world.id, '_'), world.table.items().filter((item) => item['of'] === world.id).length];

    const result = await world.namespaces.purge('acme');

    expect(result).toEqual({ deleted: held });
    expect(world.others(world.id, '_')).toBe(before);
    expect(await world.namespaces.describe('acme')).toBeUndefined();
    const anew = await world.namespaces.register('acme');
    expect(anew.id).not.toBe(world.id);
    expect(world.table.items().filter((item) => String(item['PK']).startsWith(`${anew.id}/`))).toEqual([]);
  });

  it('leaves one item that says closed for ever, for limiters that still have it open (W-45)', async () => {
    const world = await purgeable();
    const closedAs = Number(world.system(world.id)?.['ver']);

    await world.namespaces.purge('acme');

    expect(world.table.items().filter((item) => String(item['PK']).startsWith(`${world.id}/`))).toEqual([
      {
        PK: `${world.id}/s`,
        SK: 'limits',
        v: 1,
        ver: closedAs + 1,
        upd: START_MS,
        closed: true,
        deleted: true,
      },
    ]);
  });

  it('tells how far it has come, in batches of the size asked for', async () => {
    const world = await purgeable();
    const told: number[] = [];

    const { deleted } = await world.namespaces.purge('acme', { batchSize: 40, onProgress: (progress) => told.push(progress.deleted) });

    expect(deleted).toBe(150);
    expect(told).toEqual([40, 80, 120, 150]);
  });

  it('of a namespace that holds nothing deletes nothing, and ends', async () => {
    const { namespaces } = registryWorld();
    await namespaces.register('empty');
    await namespaces.delete('empty');

    expect(await namespaces.purge('empty')).toEqual({ deleted: 0 });
    expect(await namespaces.describe('empty')).toBeUndefined();
  });

  it('also deletes what is written behind the scan while it runs (the peer orphans it, W-45)', async () => {
    const world = await purgeable();
    let late = 3;
    const onProgress = () => {
      if (late === 0) return;
      late -= 1;
      world.furnish(world.id, [`late-${late}`, `later-${late}`, `latest-${late}`]);
    };

    await world.namespaces.purge('acme', { onProgress });

    expect(world.table.items().filter((item) => item['of'] === world.id)).toEqual([]);
  });

  it('by two at once ends for both, and leaves one event of its end', async () => {
    const world = await purgeable();

    await Promise.all([world.namespaces.purge('acme'), world.namespaces.purge('acme'), world.namespaces.purge('acme')]);

    expect(await world.namespaces.describe('acme')).toBeUndefined();
    const { events } = await world.audit.list({ subject: 'namespace/acme' });
    expect(events.map(({ action }) => action)).toEqual(['namespace.purge', 'namespace.purge', 'namespace.delete', 'namespace.register']);
  });

  it('does not touch a namespace that has taken the name since another purge ended', async () => {
    const world = await purgeable();
    const anew = { id: '' };
    const another = interrupted(world.table, 'deleteAll', async () => {
      await world.namespaces.purge('acme');
      anew.id = (await world.namespaces.register('acme')).id;
      world.furnish(anew.id, ['mine']);
    });

    await world.through(another).purge('acme');

    expect(await world.namespaces.describe('acme')).toMatchObject({ id: anew.id, state: 'active' });
    expect(world.table.items().filter((item) => item['of'] === anew.id)).toHaveLength(5);
    expect(world.system(anew.id)).toBeUndefined();
  });
});

describe('a purge that begins', () => {
  it('is of the namespace that has the name then, not of one that had it when it was read', async () => {
    const world = await purgeable();
    const another = interrupted(world.table, 'transact', async () => {
      await world.namespaces.purge('acme');
      world.furnish((await world.namespaces.register('acme')).id, ['mine']);
      await world.namespaces.delete('acme');
    });

    expect(await world.through(another).purge('acme')).toEqual({ deleted: 5 });

    expect(await world.namespaces.describe('acme')).toBeUndefined();
  });
});

describe('a purge that dies', () => {
  it.each(['before', 'after'] as const)('%s any of its requests is ended by the next, and touches nothing else', async (when) => {
    const whole = await purgeable();
    const counting = new CrashingTable(whole.table);
    await whole.through(counting).purge('acme', { batchSize: 20 });
    expect(counting.requests).toBeGreaterThan(12);

    for (let at = 1; at <= counting.requests; at += 1) {
      const world = await purgeable();
      const before = world.others(world.id, '_');
      const crashing = new CrashingTable(world.table, { at, when });
      await expect(world.through(crashing).purge('acme', { batchSize: 20 })).rejects.toMatchObject({ name: 'Crash' });
      const left = await world.namespaces.describe('acme');
      const isOver = left === undefined;

      // Whatever had been done, it is closed and its name is taken until a purge has ended.
      expect(world.system(world.id)).toMatchObject({ closed: true });
      if (isOver) expect([at, when]).toEqual([counting.requests, 'after']);
      else await expect(world.namespaces.register('acme')).rejects.toMatchObject({ code: 'NAMESPACE_STATE' });
      if (!isOver) await world.namespaces.purge('acme');

      expect(await world.namespaces.describe('acme')).toBeUndefined();
      expect(world.table.items().filter((item) => item['of'] === world.id)).toEqual([]);
      expect(world.others(world.id, '_')).toBe(before);
    }
  });

  it('is told apart from one that has not begun: it cannot be recovered any more', async () => {
    const world = await purgeable();
    const crashing = new CrashingTable(world.table, { at: 4, when: 'after' });
    await expect(world.through(crashing).purge('acme')).rejects.toMatchObject({ name: 'Crash' });

    await expect(world.namespaces.recover('acme')).rejects.toMatchObject({ code: 'NAMESPACE_STATE' });
    const listed = await world.namespaces.list();
    expect(listed.namespaces.find(({ name }) => name === 'acme')).toMatchObject({ state: 'purging' });
  });
});

describe('deleting and recovering', () => {
  it.each(['before', 'after'] as const)(
    'that die %s a request are whole or not done (the peer leaves a namespace that nobody can reach, W-45)',
    async (when) => {
      for (const step of ['delete', 'recover'] as const) {
        for (let at = 1; at <= 3; at += 1) {
          const world = registryWorld();
          const { id } = await world.namespaces.register('acme');
          if (step === 'recover') await world.namespaces.delete('acme');
          await expect(world.through(new CrashingTable(world.table, { at, when }))[step]('acme')).rejects.toMatchObject({ name: 'Crash' });

          const { state } = (await world.namespaces.describe('acme')) ?? {};
          expect(state).toBe(['active', 'deleted'].find((one) => one === state));
          expect(world.system(id)?.['closed'] ?? false).toBe(state === 'deleted');
          const { events } = await world.audit.list({ subject: 'namespace/acme' });
          expect(events[0]?.after).toMatchObject({ state });

          await world.namespaces[step]('acme');
          expect(await world.namespaces.describe('acme')).toMatchObject({ state: step === 'delete' ? 'deleted' : 'active' });
        }
      }
    },
  );
});
