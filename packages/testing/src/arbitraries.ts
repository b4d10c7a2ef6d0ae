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

/** Two scales and none: writers often agree, and often do not. */
const scale = fc.constantFrom(undefined, '1/1', '1/1', '7/3');
const scaled = scale.map((value) => (value === undefined ? {} : { scale: value }));

/** Moves of a limit in every form, with bounds within a few microseconds of a moment. */
export function anyMove(limit: string, aroundUs: number): fc.Arbitrary<Move> {
  const bound = offsetUs.map((offset) => aroundUs + offset);
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .record({ tokens, chargeUs, fromUs: bound, to: fc.option(bound, { nil: undefined }), rest: scaled })
        .map(({ to, rest, ...busy }): Move => ({ form: 'busy', limit, ...busy, ...rest, ...(to === undefined ? {} : { toUs: to }) })),
    },
    {
      weight: 6,
      arbitrary: fc
        .record({ tokens, chargeUs, toUs: bound, rest: scaled })
        .map(({ rest, ...idle }): Move => ({ form: 'idle', limit, ...idle, ...rest })),
    },
    {
      weight: 6,
      arbitrary: fc
        .record({ tokens, chargeUs, rest: scaled })
        .map(({ rest, ...credit }): Move => ({ form: 'credit', limit, ...credit, ...rest })),
    },
    {
      weight: 6,
      arbitrary: fc.record({ tokens, rest: scaled }).map(({ rest, ...revive }): Move => ({ form: 'revive', limit, ...revive, ...rest })),
    },
    {
      weight: 2,
      arbitrary: fc
        .record({ fromTatUs: bound, toTatUs: bound, scale: fc.constantFrom('1/1', '7/3') })
        .map((rest): Move => ({ form: 'rescale', limit, ...rest })),
    },
    { weight: 1, arbitrary: bound.map((toUs): Move => ({ form: 'drop', limit, toUs })) },
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
