import type { ConfigLevel } from '@millrace/core';
import { levelName } from '@millrace/limiter/admin';
import { applyManifest, diffManifest, type ManifestSource, manifest } from '@millrace/limits';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyLimits, anyManifest } from './any-manifest.js';
import { limitsWorld, listed, liveLevels, marked, planOf, told } from './manifest-world.js';

const NAMES = ['a', 'b', 'a/b', '%2F'];

const anyLevel: fc.Arbitrary<ConfigLevel> = fc.oneof(
  fc.constant({ level: 'system' as const }),
  fc.constantFrom(...NAMES).map((resource) => ({ level: 'resource' as const, resource })),
  fc.constantFrom(...NAMES).map((entity) => ({ level: 'entity-default' as const, entity })),
  fc
    .tuple(fc.constantFrom(...NAMES), fc.constantFrom(...NAMES))
    .map(([entity, resource]) => ({ level: 'entity' as const, entity, resource })),
);

/** What people do by hand between two applies. */
const anyHand = fc.record({
  level: anyLevel,
  limits: fc.option(
    anyLimits.map((limits) => manifest({ system: { limits } }).levels[0]?.limits),
    { nil: undefined },
  ),
});

/** Limits of levels, in the order of names. */
function byName<T>(levels: ReadonlyMap<string, T>, limitsOf: (level: T) => unknown): Record<string, unknown> {
  const sorted = (limits: unknown): unknown => [...(limits as { name: string }[])].sort((a, b) => (a.name < b.name ? -1 : 1));
  return Object.fromEntries([...levels].map(([name, level]) => [name, sorted(limitsOf(level))]));
}

describe('after an apply', () => {
  it('all is as the manifest says, what was made by hand is untouched, and every list is right', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyManifest('m', NAMES),
        anyManifest('other', NAMES),
        fc.array(anyHand, { maxLength: 6 }),
        anyManifest('m', NAMES),
        async (first: ManifestSource, other: ManifestSource, hands, second: ManifestSource) => {
          const world = limitsWorld();
          await applyManifest(world.parts, manifest(other));
          await applyManifest(world.parts, manifest(first));
          for (const { level, limits } of hands) {
            if (limits === undefined) await world.limits.delete(level);
            else await world.limits.set(level, limits);
          }
          const before = liveLevels(world);
          const mine = new Set(marked(world, 'm'));
          const said = new Map(manifest(second).levels.map(({ level, limits }) => [levelName(level), limits]));

          await applyManifest(world.parts, manifest(second));

          // Levels that the manifest says nothing of are gone if it has made them, and as they were if not.
          const kept = [...before].filter(([name]) => !said.has(name) && !mine.has(name));
          const expected = new Map([...kept.map(([name, item]) => [name, item['limits']] as const), ...said]);
          const after = liveLevels(world);
          expect(byName(after, (item) => item['limits'])).toEqual(byName(expected, (limits) => limits));
          expect(marked(world, 'm').filter((name) => !said.has(name))).toEqual([]);

          expect(told(await planOf(world, manifest(second)))).toEqual([]);
          expect(await diffManifest(world.parts, manifest(second))).toEqual([]);
          const lists = await listed(world, 'm');
          expect(lists.managed).toEqual([...marked(world, 'm')].sort());
          expect(lists.all).toEqual([...after.keys()].filter((name) => /^resource[/]|^entity[/].*[/]/.test(name)).sort());
        },
      ),
      { numRuns: 400 },
    );
  });
});
