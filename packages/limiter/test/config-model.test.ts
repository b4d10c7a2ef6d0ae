import type { ConfigLevel } from '@millrace/core';
import type { RateLimiter } from '@millrace/limiter';
import { FakeRuntime } from '@millrace/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rpm } from './config-world.js';
import { type OpenTable, openTable } from './open-table.js';

const TTL_MS = 60_000;
const ENTITIES = ['key', 'key/gpt', 'limits'] as const;
const RESOURCES = ['gpt', 'limits', 'a/b'] as const;

const anyEntity = fc.constantFrom(...ENTITIES);
const anyResource = fc.constantFrom(...RESOURCES);
const anyLevel: fc.Arbitrary<ConfigLevel> = fc.oneof(
  fc.constant({ level: 'system' } as const),
  anyResource.map((resource) => ({ level: 'resource', resource }) as const),
  anyEntity.map((entity) => ({ level: 'entity-default', entity }) as const),
  fc.tuple(anyEntity, anyResource).map(([entity, resource]) => ({ level: 'entity', entity, resource }) as const),
);

/** A step: a level is set or deleted, by one of two processes; or time passes; or one of them looks, and so remembers. */
type Step =
  | { readonly kind: 'set'; readonly level: ConfigLevel; readonly tokens: number; readonly by: 0 | 1 }
  | { readonly kind: 'delete'; readonly level: ConfigLevel; readonly by: 0 | 1 }
  | { readonly kind: 'look'; readonly entity: string; readonly resource: string; readonly by: 0 | 1 }
  | { readonly kind: 'wait'; readonly ms: number };

const by = fc.constantFrom(0 as const, 1 as const);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('set' as const), level: anyLevel, tokens: fc.integer({ min: 1, max: 9 }), by }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), level: anyLevel, by }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('look' as const), entity: anyEntity, resource: anyResource, by }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: TTL_MS / 2 }) }) },
);

/** The limits by the plainest rule: look the four levels up, nearest first. */
class Reference {
  readonly #levels = new Map<string, number>();

  apply(step: Step): void {
    if (step.kind === 'set') this.#levels.set(nameOf(step.level), step.tokens);
    if (step.kind === 'delete') this.#levels.delete(nameOf(step.level));
  }

  find(entity: string, resource: string): [source: string | undefined, tokens: number | undefined] {
    const levels: ConfigLevel[] = [
      { level: 'entity', entity, resource },
      { level: 'entity-default', entity },
      { level: 'resource', resource },
      { level: 'system' },
    ];
    const winner = levels.find((level) => this.#levels.has(nameOf(level)));
    return [winner?.level, winner === undefined ? undefined : this.#levels.get(nameOf(winner))];
  }
}

function nameOf(level: ConfigLevel): string {
  return JSON.stringify([level.level, 'entity' in level ? level.entity : '', 'resource' in level ? level.resource : '']);
}

async function perform(step: Step, processes: readonly RateLimiter[], runtime: FakeRuntime): Promise<void> {
  if (step.kind === 'wait') return runtime.advance(step.ms);
  const process = processes[step.by];
  if (step.kind === 'set') await process?.limits.set(step.level, [rpm(step.tokens)]);
  if (step.kind === 'delete') await process?.limits.delete(step.level);
  if (step.kind === 'look') await process?.explain(step.entity, step.resource);
}

async function expectSame(processes: readonly RateLimiter[], reference: Reference): Promise<void> {
  for (const process of processes) {
    for (const entity of ENTITIES) {
      for (const resource of RESOURCES) {
        const { source, limits } = await process.explain(entity, resource);
        expect([source, limits?.[0]?.capacity]).toEqual(reference.find(entity, resource));
      }
    }
  }
}

describe('resolution over random sets and deletes at all levels', () => {
  const runtime = new FakeRuntime();
  let opened: OpenTable;
  let root: RateLimiter;
  let runs = 0;

  beforeAll(async () => {
    opened = await openTable();
    root = await opened.open({ clock: runtime.clock });
  });

  afterAll(() => opened.close());

  it.each([
    ['with a cache', TTL_MS],
    ['without a cache', 0],
  ])('%s equals the plainest rule, in both processes, after the time of their caches', async (_, configTtlMs) => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 3, maxLength: 25 }), async (steps) => {
        runs += 1;
        const namespace = `run-${runs}`;
        await root.namespaces.register(namespace);
        const processes = await Promise.all([0, 1].map(() => opened.open({ namespace, clock: runtime.clock, configTtlMs })));
        const reference = new Reference();
        for (const step of steps) {
          reference.apply(step);
          await perform(step, processes, runtime);
          // Without a cache there is nothing to be late with.
          if (step.kind === 'set' && configTtlMs === 0) await expectSame(processes, reference);
        }
        runtime.advance(TTL_MS);
        await expectSame(processes, reference);
        await Promise.all(processes.map((process) => process.close()));
      }),
      { numRuns: 40 },
    );
  });
});
