import { type BucketWrite, FIRST_LAYOUT, Limit, layoutAfter, type Move, type Reshape, type Seed } from '@millrace/core';
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

/** Layouts of which each may follow each: a bucket of one item, of two, of one again, of four. */
const TWO = layoutAfter(FIRST_LAYOUT, 2);
const anyLayout = fc.constantFrom(FIRST_LAYOUT, TWO, layoutAfter(TWO, 1), layoutAfter(TWO, 4));

function anyReshape(limits: readonly string[], aroundUs: number): fc.Arbitrary<Reshape> {
  const some = fc.subarray([...limits]);
  const seed: fc.Arbitrary<Seed> = fc.record({ tatUs: offsetUs.map((offset) => aroundUs + offset), scale });
  return fc.oneof(
    fc.record({ form: fc.constant('split' as const), to: anyLayout, limits: some, absent: some }),
    fc.record({ to: anyLayout, names: some, seeds: fc.array(seed, { minLength: limits.length, maxLength: limits.length }) }).map(
      ({ to, names, seeds }): Reshape => ({
        form: 'birth',
        to,
        seeds: new Map(names.map((name, index) => [name, seeds[index] as Seed])),
      }),
    ),
    fc.record({ form: fc.constant('born' as const), limits: some }),
    fc.record({ form: fc.constantFrom('intend' as const, 'retire' as const, 'absorb' as const), to: anyLayout }),
  );
}

/** Writes as {@link anyWrite} makes them, of which some demand a layout and some take a step to another one. */
export function anyShapedWrite(limits: readonly string[], aroundUs: number): fc.Arbitrary<Omit<BucketWrite, 'ref'>> {
  const demand = fc.option(anyLayout, { nil: undefined }).map((layout) => (layout === undefined ? {} : { layout }));
  return fc
    .tuple(anyWrite(limits, aroundUs), demand, fc.option(anyReshape(limits, aroundUs), { nil: undefined }))
    .map(([write, layout, reshape]) => {
      if (reshape === undefined) return { ...write, ...layout };
      // What an item takes over it is moved by in the same write; no other step moves anything.
      return { ...write, ...layout, reshape, moves: reshape.form === 'absorb' ? write.moves : [] };
    });
}
