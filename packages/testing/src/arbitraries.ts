import { type BucketWrite, Limit, type Move } from '@millrace/core';
import fc from 'fast-check';

const DAY_MS = 86_400_000;

/** Limits of every kind that a service may have, from a few a day to millions a second. */
export const anyLimit: fc.Arbitrary<Limit> = fc
  .record({
    refill: fc.integer({ min: 1, max: 1_000_000 }),
    periodMs: fc.constantFrom(1, 50, 250, 1_000, 60_000, 3_600_000, DAY_MS),
    capacity: fc.integer({ min: 1, max: 1_000_000 }),
    reserve: fc.constantFrom(undefined, undefined, 0, 0.02, 0.1),
  })
  // A bucket must fill within twenty years.
  .filter(({ refill, periodMs, capacity }) => (capacity / refill) * periodMs < 5_000 * DAY_MS)
  .map(({ reserve, ...rate }) => Limit.of({ name: 'any', ...rate, ...(reserve === undefined ? {} : { reserve }) }));

// Times lie so close together that random ones often meet a bound exactly, or miss it by one.
const offsetUs = fc.integer({ min: -6, max: 6 });
const chargeUs = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 0, max: 6 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 10 ** 14 }) },
);
const tokens = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.maxSafeNat());

/** Moves of a limit in every form, with bounds within a few microseconds of a moment. */
export function anyMove(limit: string, aroundUs: number): fc.Arbitrary<Move> {
  return fc.oneof(
    fc.record({ tokens, chargeUs, from: offsetUs, to: fc.option(offsetUs, { nil: undefined }) }).map(({ from, to, ...rest }): Move => {
      const fromUs = aroundUs + from;
      return to === undefined ? { form: 'busy', limit, ...rest, fromUs } : { form: 'busy', limit, ...rest, fromUs, toUs: aroundUs + to };
    }),
    fc.record({ tokens, chargeUs, to: offsetUs }).map(({ to, ...rest }): Move => ({ form: 'idle', limit, ...rest, toUs: aroundUs + to })),
    fc.record({ tokens, chargeUs }).map((rest): Move => ({ form: 'credit', limit, ...rest })),
    fc.record({ tokens }).map((rest): Move => ({ form: 'revive', limit, ...rest })),
  );
}

/** Writes of some of the limits, at about a moment; whoever uses one says of which bucket. */
export function anyWrite(limits: readonly string[], aroundUs: number): fc.Arbitrary<Omit<BucketWrite, 'ref'>> {
  return fc
    .record({
      nowUs: offsetUs.map((offset) => aroundUs + offset),
      ttlSec: fc.integer({ min: 7, max: 10 }).map((days) => Math.ceil(aroundUs / 1_000_000) + days * 86_400),
      configVersion: fc.option(fc.nat({ max: 3 }), { nil: undefined, freq: 2 }),
      moves: fc.subarray([...limits]).chain((chosen) => fc.tuple(...chosen.map((limit) => anyMove(limit, aroundUs)))),
    })
    .map(({ configVersion, ...rest }) => (configVersion === undefined ? rest : { ...rest, configVersion }));
}
