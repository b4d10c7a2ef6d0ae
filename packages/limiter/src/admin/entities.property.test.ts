import { isMillraceError } from '@millrace/core';
import { MemoryTable } from '@millrace/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EntitiesWorld, entitiesWorld, faultsOf, storedEntities } from '../../test/entities-world.js';
import { inSomeOrders } from '../../test/interleaving.js';
import type { Entities } from './entities.js';

const NAMES = Array.from({ length: 14 }, (_, index) => `e${index}`);

type Step =
  | { readonly kind: 'create'; readonly id: string; readonly parent: string | undefined; readonly cascade: boolean }
  | { readonly kind: 'move'; readonly id: string; readonly parent: string | null | undefined; readonly cascade: boolean | undefined }
  | { readonly kind: 'delete'; readonly id: string; readonly children: boolean };

const anyName = fc.constantFrom(...NAMES);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      id: anyName,
      parent: fc.option(anyName, { nil: undefined, freq: 8 }),
      cascade: fc.boolean(),
    }),
    weight: 5,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      id: anyName,
      parent: fc.option(fc.option(anyName, { freq: 9 }), { nil: undefined }),
      cascade: fc.option(fc.boolean(), { nil: undefined }),
    }),
    weight: 5,
  },
  { arbitrary: fc.record({ kind: fc.constant('delete' as const), id: anyName, children: fc.boolean() }), weight: 1 },
);

/** Does a step, or is refused. */
async function attempt(entities: Entities, step: Step): Promise<boolean> {
  try {
    if (step.kind === 'create') {
      await entities.create(step.id, step.parent === undefined ? {} : { parent: step.parent, cascade: step.cascade });
    } else if (step.kind === 'move') {
      const { parent, cascade } = step;
      await entities.move(step.id, { ...(parent === undefined ? {} : { parent }), ...(cascade === undefined ? {} : { cascade }) });
    } else {
      await entities.delete(step.id, { children: step.children });
    }
    return true;
  } catch (error) {
    if (!isMillraceError(error)) throw error;
    return false;
  }
}

/** What the steps make of a family, said as plainly as possible: who stands below whom. */
class Model {
  readonly parents = new Map<string, string | undefined>();

  /** Whether the step is one that is done. */
  step(step: Step): boolean {
    if (step.kind === 'create') return this.#create(step.id, step.parent);
    if (step.kind === 'delete') return this.#delete(step.id, step.children);
    const { id, cascade } = step;
    if (!this.parents.has(id) || (step.parent === undefined && cascade === undefined)) return false;
    const parent = step.parent === undefined ? this.parents.get(id) : (step.parent ?? undefined);
    if (parent === undefined && cascade === true) return false;
    if (parent !== undefined && (!this.parents.has(parent) || this.#above(parent).includes(id))) return false;
    if ((parent === undefined ? 0 : this.#above(parent).length) + this.#height(id) > 8) return false;
    this.parents.set(id, parent);
    return true;
  }

  #create(id: string, parent: string | undefined): boolean {
    if (this.parents.has(id) || (parent !== undefined && (!this.parents.has(parent) || this.#above(parent).length > 8))) return false;
    this.parents.set(id, parent);
    return true;
  }

  #delete(id: string, withChildren: boolean): boolean {
    const children = this.#children(id);
    if (!this.parents.has(id) || (children.length > 0 && !withChildren)) return false;
    for (const child of children) this.#delete(child, true);
    return this.parents.delete(id);
  }

  /** An entity and all above it. */
  #above(id: string): readonly string[] {
    const parent = this.parents.get(id);
    return parent === undefined ? [id] : [id, ...this.#above(parent)];
  }

  #children(id: string): readonly string[] {
    return [...this.parents].filter(([, parent]) => parent === id).map(([child]) => child);
  }

  #height(id: string): number {
    return Math.max(0, ...this.#children(id).map((child) => 1 + this.#height(child)));
  }
}

const parentsIn = (world: EntitiesWorld) =>
  [...storedEntities(world.table.items()).values()]
    .filter(({ deleted }) => !deleted)
    .map(({ id, parent }): [string, string | undefined] => [id, parent]);

describe('any creations, moves and deletions', () => {
  it('one after the other do what they say, and leave every entity with its true ancestors, counts and links', async () => {
    const holds = fc.asyncProperty(fc.array(anyStep, { minLength: 20, maxLength: 60 }), async (steps) => {
      const [world, model] = [entitiesWorld(new MemoryTable()), new Model()];
      for (const step of steps) {
        expect([step, await attempt(world.entities, step)]).toEqual([step, model.step(step)]);
        expect(faultsOf(world.table.items())).toEqual([]);
      }
      expect(new Map(parentsIn(world))).toEqual(model.parents);
    });

    await fc.assert(holds, { numRuns: 150 });
  });

  it('of three processes at once, whatever the order of their requests, do so, too', async () => {
    const anySteps = fc.array(anyStep, { minLength: 3, maxLength: 6 });
    const holds = fc.asyncProperty(
      fc.array(anyStep, { minLength: 15, maxLength: 30 }),
      fc.tuple(anySteps, anySteps, anySteps),
      fc.integer({ min: 0 }),
      async (before, processes, seed) => {
        const world = entitiesWorld(new MemoryTable());
        const prepare = async () => {
          for (const step of before) await attempt(world.entities, step);
          const programs = processes.map((steps) => async (items: typeof world.parts.items) => {
            for (const step of steps) await attempt(world.through(items), step);
          });
          return { table: world.table, programs };
        };
        await inSomeOrders(1, seed, prepare, ({ results }) => {
          // Eight conflicts in a row are an answer, too; it is a failure of the store, which callers may try again.
          for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({ reason: 'throttled' });
          expect(faultsOf(world.table.items())).toEqual([]);
        });
      },
    );

    await fc.assert(holds, { numRuns: 300 });
  });
});
