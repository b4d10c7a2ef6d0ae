import { Limit } from '@millrace/core';
import type { LimitSource, LimitsSource, ManifestSource } from '@millrace/limits';
import fc from 'fast-check';

const DAY_MS = 86_400_000;
const LIMIT_NAMES = ['rpm', 'tpm', 'burst', 'x-1'] as const;

const anyRate = fc.record({ refill: fc.integer({ min: 1, max: 1_000 }), capacity: fc.integer({ min: 1, max: 1_000 }) });

/** A limit of a name, in each of the ways that there are to write one. */
function anyLimitSource(name: string): fc.Arbitrary<LimitSource> {
  const reserve = fc.constantFrom(0, 0.02, 0.5);
  return fc.oneof(
    anyRate.map(({ refill, capacity }) => `${name}:${refill}/min:${capacity}`),
    fc.integer({ min: 1, max: 1_000 }).map((refill) => `${name}:${refill}/h`),
    fc.tuple(anyRate, reserve).map(([rate, share]) => Limit.of({ name, periodMs: 60_000, ...rate, reserve: share })),
    fc.tuple(anyRate, fc.constantFrom('sec', 'min', 'hour', 'day')).map(([rate, per]) => ({ name, per, ...rate })),
    fc.integer({ min: 1, max: DAY_MS }).map((periodMs) => ({ name, refill: 1_000, periodMs })),
  );
}

export const anyLimits: fc.Arbitrary<LimitsSource> = fc
  .shuffledSubarray([...LIMIT_NAMES], { minLength: 1 })
  .chain((names) => fc.tuple(...names.map(anyLimitSource)));

/** Manifests whose names are of these, so that two of them meet. */
export function anyManifest(name: string, names: readonly string[]): fc.Arbitrary<ManifestSource> {
  const resources = fc.dictionary(fc.constantFrom(...names), anyLimits, { maxKeys: 4 });
  const entity = fc.oneof(fc.record({ default: anyLimits, resources }), fc.record({ default: anyLimits }), fc.record({ resources }));
  const system = fc.oneof(
    fc.record({ onUnavailable: fc.constantFrom('block', 'allow'), limits: anyLimits }),
    fc.record({ limits: anyLimits }),
    fc.record({ onUnavailable: fc.constantFrom('block', 'allow') }),
  );
  return fc.record(
    { name: fc.constant(name), system, resources, entities: fc.dictionary(fc.constantFrom(...names), entity, { maxKeys: 4 }) },
    { requiredKeys: ['name'] },
  );
}
