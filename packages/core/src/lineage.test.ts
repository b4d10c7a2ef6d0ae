import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refusal } from '../test/refusal.js';
import { type EntityRecord, lineageOf, MAX_DEPTH, NO_LINEAGE, newEntity, nextVersion } from './lineage.js';

const NOW_MS = 1_800_000_000_000;

/** A chain of entities, the oldest first; each cascades as the list says. */
function chain(...cascades: readonly boolean[]): EntityRecord[] {
  const entities: EntityRecord[] = [];
  for (const cascade of cascades) {
    entities.push(newEntity(`e${entities.length}`, entities.at(-1), cascade, undefined, NOW_MS));
  }
  return entities;
}

function lastOf(entities: readonly EntityRecord[]): EntityRecord {
  const last = entities.at(-1);
  if (last === undefined) throw new Error('an empty chain');
  return last;
}

describe('a new entity', () => {
  it('without a parent stands alone, and has nobody to cascade to', () => {
    const entity = newEntity('project-1', undefined, true, undefined, NOW_MS);

    expect(entity).toStrictEqual({
      id: 'project-1',
      cascade: false,
      ancestors: [],
      chargedCount: 0,
      version: NOW_MS,
      createdAtMs: NOW_MS,
      childCount: 0,
      deleted: false,
    });
  });

  it('knows all its ancestors, nearest first', () => {
    const entity = lastOf(chain(true, true, true));

    expect(entity).toMatchObject({ id: 'e2', parent: 'e1', ancestors: ['e1', 'e0'] });
  });

  it('may have 8 ancestors', () => {
    const entity = lastOf(chain(...Array<boolean>(MAX_DEPTH + 1).fill(true)));

    expect(entity.ancestors).toHaveLength(8);
    expect(entity.chargedCount).toBe(8);
  });

  it('may not have 9', () => {
    const deepest = lastOf(chain(...Array<boolean>(MAX_DEPTH + 1).fill(true)));

    const error = refusal(() => newEntity('one-more', deepest, true, undefined, NOW_MS));

    expect(error.message).toBe('parent must be an entity with at most 7 ancestors of its own, got "e8"');
  });

  it.each([
    ['itself', 0],
    ['one of its children', 1],
    ['a descendant far below', 5],
  ])('may not stand below %s', (_, index) => {
    const parent = chain(true, true, true, true, true, true)[index];

    const error = refusal(() => newEntity('e0', parent, true, undefined, NOW_MS));

    expect(error).toMatchObject({ code: 'VALIDATION', subject: 'parent', value: `e${index}` });
  });
});

describe('the lineage that an acquire charges', () => {
  it.each([
    ['all ancestors where all cascade', [false, true, true, true], ['e2', 'e1', 'e0']],
    ['nobody where the entity does not cascade', [true, true, true, false], []],
    ['only the parent where that does not cascade', [true, true, false, true], ['e2']],
    ['as far as the first that does not cascade', [true, false, true, true], ['e2', 'e1']],
  ])('is %s', (_, cascades, charged) => {
    const lineage = lineageOf(lastOf(chain(...cascades)));

    expect(lineage.charged).toStrictEqual(charged);
  });

  it('is the run of entities that cascade, whatever the chain', () => {
    const anyChain = fc.array(fc.boolean(), { minLength: 1, maxLength: MAX_DEPTH + 1 });

    const isRun = fc.property(anyChain, (cascades) => {
      const entities = chain(...cascades);
      const run = [...entities].reverse().findIndex((entity) => !entity.cascade);
      expect(lineageOf(lastOf(entities)).charged).toHaveLength(run);
    });

    fc.assert(isRun);
  });

  it('is nobody, older than any creation, where the entity was never created', () => {
    const lineage = lineageOf(undefined);

    expect(lineage).toBe(NO_LINEAGE);
    expect(lineage.version).toBeLessThan(newEntity('a', undefined, false, undefined, 1).version);
  });

  it('is nobody once the entity is deleted, as of that version', () => {
    const entity = { ...lastOf(chain(true, true)), deleted: true, version: 77 };

    expect(lineageOf(entity)).toStrictEqual({ charged: [], version: 77 });
  });
});

describe('the version of an entity', () => {
  it('always grows, also where the clock of a writer is behind', () => {
    const anyTimes = fc.array(fc.integer({ min: 0, max: 4_000_000_000_000 }), { minLength: 2, maxLength: 30 });

    const grows = fc.property(anyTimes, (times) => {
      let previous: EntityRecord | undefined;
      return times.every((nowMs) => {
        const next = newEntity('a', undefined, false, previous, nowMs);
        const isAbove = next.version > (previous?.version ?? 0) || (previous === undefined && nowMs === 0);
        previous = next;
        return isAbove;
      });
    });

    fc.assert(grows, { numRuns: 1_000 });
  });

  it('follows the clock where that is ahead', () => {
    const previous = lastOf(chain(true));

    const versions = [nextVersion(previous, NOW_MS + 1), nextVersion(previous, NOW_MS), nextVersion(previous, 0)];

    expect(versions).toStrictEqual([NOW_MS + 1, NOW_MS + 1, NOW_MS + 1]);
  });
});
