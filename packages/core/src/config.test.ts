import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ConfigEntry, type ConfigParts, type ConfigRecord, configRefs, knowsLimit, resolveConfig } from './config.js';
import { Limit } from './limit.js';
import { newEntity, nextVersion } from './lineage.js';

const NOW_MS = 1_800_000_000_000;
const NOTHING: ConfigParts = { lineage: {}, entity: {}, entityDefault: {}, resource: {}, system: {} };

function level(name: string, change: Partial<ConfigRecord> = {}): ConfigEntry {
  return { record: { limits: [Limit.perMinute(name, 10)], version: NOW_MS, updatedAtMs: NOW_MS, ...change } };
}

function gone(version: number, retired: readonly string[] = []): ConfigEntry {
  return { record: { version, updatedAtMs: NOW_MS, retired } };
}

describe('a resolved configuration', () => {
  it('of nothing is empty, enforced and of version 0', () => {
    expect(resolveConfig(NOTHING)).toEqual({
      charged: [],
      version: 0,
      control: { mode: 'enforce' },
      closed: false,
      levels: [undefined, undefined, undefined, undefined],
    });
  });

  it('has the limits of the nearest level that has any', () => {
    const parts = { ...NOTHING, entity: gone(1), entityDefault: level('a'), resource: level('b'), system: level('c') };

    expect(resolveConfig(parts)).toMatchObject({ source: 'entity-default', limits: [{ name: 'a' }] });
    expect(resolveConfig({ ...parts, entityDefault: {} })).toMatchObject({ source: 'resource', limits: [{ name: 'b' }] });
    expect(resolveConfig({ ...parts, entityDefault: {}, resource: gone(3) })).toMatchObject({ source: 'system', limits: [{ name: 'c' }] });
  });

  it('takes controls from the default of the entity, and the rest from the system', () => {
    const control = { mode: 'disabled', reason: 'unpaid' } as const;
    const parts = {
      ...NOTHING,
      entityDefault: level('a', { control }),
      system: level('c', { onUnavailable: 'allow', closed: true }),
    };

    expect(resolveConfig(parts)).toMatchObject({ control, onUnavailable: 'allow', closed: true, source: 'entity-default' });
  });

  it('charges the ancestors that the entity carries', () => {
    const parent = newEntity('project', undefined, false, undefined, NOW_MS);
    const entity = newEntity('key', parent, true, undefined, NOW_MS);

    expect(resolveConfig({ ...NOTHING, lineage: { entity } })).toMatchObject({ charged: ['project'], version: NOW_MS });
  });

  it('grows with every change of every item, also where another item changed later', () => {
    const anyVersions = fc.array(fc.integer({ min: 0, max: 4_000_000_000_000 }), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(anyVersions, fc.nat(3), fc.integer({ min: -1_000_000, max: 1_000_000 }), (versions, changed, clockMs) => {
        const before = resolveConfig(partsOf(versions)).version;
        const previous = { version: versions[changed] ?? 0 };
        const grown = versions.map((version, index) => (index === changed ? nextVersion(previous, version + clockMs) : version));

        expect(resolveConfig(partsOf(grown)).version).toBeGreaterThan(before);
        expect(Number.isSafeInteger(resolveConfig(partsOf(grown)).version)).toBe(true);
      }),
    );
  });
});

function partsOf([entity = 0, entityDefault = 0, resource = 0, system = 0]: readonly number[]): ConfigParts {
  return { ...NOTHING, entity: gone(entity), entityDefault: gone(entityDefault), resource: gone(resource), system: gone(system) };
}

describe('a name of a limit', () => {
  it('is known where any level has it, or had it once', () => {
    const resolved = resolveConfig({ ...NOTHING, entity: level('a'), resource: level('b'), system: gone(1, ['c']) });

    expect(['a', 'b', 'c', 'd'].map((name) => knowsLimit(resolved, name))).toEqual([true, true, true, false]);
  });
});

describe('the items of a configuration', () => {
  it('are asked for in the order in which they are resolved', () => {
    expect(configRefs('key', 'model').map(({ level: name }) => name)).toEqual([
      'lineage',
      'entity',
      'entity-default',
      'resource',
      'system',
    ]);
  });
});
