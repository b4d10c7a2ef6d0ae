import type { ItemTable, ItemWrite } from '@millrace/limiter/admin';
import { applyManifest, type Manifest, ManifestLocked, manifest, type Plan } from '@millrace/limits';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitsWorld, marked, planOf, START_MS, through, told } from './manifest-world.js';

type World = ReturnType<typeof limitsWorld>;

/** One manifest in two states, each of several transactions, with some levels in common. */
function state(limit: string, from: number): Manifest {
  const names = Array.from({ length: 40 }, (_, index) => `key-${index + from}`);
  return manifest({ name: 'm', entities: Object.fromEntries(names.map((name) => [name, { resources: { api: [limit] } }])) });
}

const MANIFESTS = { a: state('rpm:1/min', 0), b: state('rpm:2/min', 20) } as const;
type Who = keyof typeof MANIFESTS;

/** A world in which it is noted who has written levels, in order. */
interface Watched {
  readonly world: World;
  readonly written: Who[];
  at(who: Who, pause?: () => Promise<unknown>): ReturnType<typeof through>;
}

function watched(): Watched {
  const world = limitsWorld();
  const written: Who[] = [];
  const writesLevels = (writes: readonly ItemWrite[]): boolean =>
    writes.some((write) => write.kind === 'update' && write.key.sort.startsWith('limits'));
  return {
    world,
    written,
    at(who, pause = () => Promise.resolve()) {
      const { items } = world.parts;
      const table: ItemTable = {
        ...items,
        get: (keys) => pause().then(() => items.get(keys)),
        query: (query) => pause().then(() => items.query(query)),
        transact: async (writes) => {
          await pause();
          const outcome = await items.transact(writes);
          if (outcome === 'done' && writesLevels(writes)) written.push(who);
          // The reply also takes its time: others may write before it is read.
          await pause();
          return outcome;
        },
      };
      return through(world, table);
    },
  };
}

/** What came of two applies: nobody wrote between another's writes, and the last writer's manifest is what holds. */
async function expectNotMixed({ world, written }: Watched, outcomes: Readonly<Record<Who, Plan | ManifestLocked>>): Promise<void> {
  const turns = written.filter((who, index) => who !== written[index - 1]);
  expect(turns.length).toBeLessThanOrEqual(2);
  const last = written.at(-1) as Who;
  expect(outcomes[last]).not.toBeInstanceOf(ManifestLocked);
  expect(told(await planOf(world, MANIFESTS[last]))).toEqual([]);
  expect(marked(world, 'm')).toHaveLength(40);
}

const caught = (apply: Promise<Plan>): Promise<Plan | ManifestLocked> =>
  apply.catch((error: unknown) => {
    if (error instanceof ManifestLocked) return error;
    throw error;
  });

describe('two applies of a manifest at once', () => {
  it.each([
    ['one is refused or waits its turn', false],
    ['one takes over', true],
  ])('never mix, whatever the order of their requests: %s', async (_, takeOver) => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const both = watched();
        const pause = (): Promise<unknown> => scheduler.schedule(Promise.resolve());
        const [a, b] = await scheduler.waitFor(
          Promise.all([
            caught(applyManifest(both.at('a', pause), MANIFESTS.a, { owner: 'a' })),
            caught(applyManifest(both.at('b', pause), MANIFESTS.b, { owner: 'b', takeOver })),
          ]),
        );

        if (takeOver) expect(b).not.toBeInstanceOf(ManifestLocked);
        await expectNotMixed(both, { a, b });
      }),
      { numRuns: 150 },
    );
  });

  it('never mix when one comes at any request of the other and takes over: the other stops', async () => {
    let at = 1;
    for (let more = true; more; at += 1) {
      const both = watched();
      let requests = 0;
      let b: Plan | ManifestLocked | undefined;
      const pause = async (): Promise<void> => {
        requests += 1;
        if (requests === at) b = await caught(applyManifest(both.at('b'), MANIFESTS.b, { takeOver: true }));
      };

      const a = await caught(applyManifest(both.at('a', pause), MANIFESTS.a));

      more = b !== undefined;
      await expectNotMixed(both, { a, b: b ?? a });
    }
    expect(at).toBeGreaterThan(12);
  });

  it('never mix when the first was silent for longer than its lock holds, and then goes on', async () => {
    const both = watched();
    let requests = 0;
    const pause = async (): Promise<void> => {
      requests += 1;
      if (requests !== 8) return;
      both.world.nowMs += 60_000;
      await applyManifest(both.at('b'), MANIFESTS.b);
    };

    const a = await caught(applyManifest(both.at('a', pause), MANIFESTS.a));

    expect(both.written).toContain('a');
    expect(a).toBeInstanceOf(ManifestLocked);
    expect((a as ManifestLocked).message).toBe('the apply of manifest "m" was taken over after 19 of 40 changes');
    expect(both.written.at(-1)).toBe('b');
    await expectNotMixed(both, { a, b: { changes: [], summary: { create: 0, update: 0, delete: 0, unchanged: 0 } } });
  });

  it('are kept apart for as long as the first goes on: each of its transactions renews the lock', async () => {
    const both = watched();
    const refused: unknown[] = [];
    const pause = async (): Promise<void> => {
      both.world.nowMs += 15_000;
      if (both.written.length > 0) refused.push(await caught(applyManifest(both.at('b'), MANIFESTS.b)));
    };

    await applyManifest(both.at('a', pause), MANIFESTS.a);

    expect(refused.length).toBeGreaterThan(3);
    for (const outcome of refused.slice(0, -1)) expect(outcome).toBeInstanceOf(ManifestLocked);
    expect(both.world.nowMs - START_MS).toBeGreaterThan(2 * 60_000);
  });

  it('go side by side where they are of different manifests', async () => {
    const world = limitsWorld();
    const [m, n] = ['m', 'n'].map((name) => manifest({ name, resources: { [name]: ['rpm:1/min'] } })) as [Manifest, Manifest];

    await Promise.all([applyManifest(world.parts, m), applyManifest(world.parts, n)]);

    expect([marked(world, 'm'), marked(world, 'n')]).toEqual([['resource/m'], ['resource/n']]);
  });
});
