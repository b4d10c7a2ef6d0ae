import { WINDOW_TYPES, type WindowType } from '@millrace/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sums } from '../../test/usage-books.js';
import { DAY_MS, HOUR_MS, UsageWorld } from '../../test/usage-world.js';

interface Step {
  readonly hours: number;
  readonly limit: 'rpm' | 'tpm';
  readonly shard: 0 | 1;
  readonly tokens: number;
  /** The types of windows that are written of it; none where its whole record is lost. */
  readonly booked: readonly WindowType[];
}

const step: fc.Arbitrary<Step> = fc.record({
  hours: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 60 })),
  limit: fc.constantFrom('rpm', 'tpm'),
  shard: fc.constantFrom(0, 1),
  tokens: fc.integer({ min: -20, max: 50 }).filter((tokens) => tokens !== 0),
  booked: fc.oneof(
    { weight: 4, arbitrary: fc.constant(WINDOW_TYPES) },
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.subarray([...WINDOW_TYPES] as WindowType[]) },
  ),
});

/** Plays a history of which any record may be lost, wholly or in part; the last one of each bucket item and limit is booked, unless all may be. */
async function play(world: UsageWorld, steps: readonly Step[], isLastBooked: boolean): Promise<number> {
  let net = 0;
  const write = async ({ limit, shard, tokens }: Omit<Step, 'hours' | 'booked'>) => {
    if (limit === 'rpm') net += tokens;
    return world.write({ limit, shard, ...(tokens > 0 ? { used: tokens } : { returned: -tokens }) });
  };
  for (const { hours, booked, ...what } of steps) {
    world.nowMs += hours * HOUR_MS;
    await world.book([await write(what)], booked);
  }
  world.nowMs += HOUR_MS;
  if (!isLastBooked) return net;
  for (const shard of [0, 1] as const)
    for (const limit of ['rpm', 'tpm'] as const) await world.book([await write({ limit, shard, tokens: 1 })]);
  return net;
}

/** What windows of a type come to by the day or month that they begin in: the first characters of the moment. */
async function byPeriod(world: UsageWorld, type: WindowType, characters: number): Promise<Readonly<Record<string, number>>> {
  const [from, to] = [new Date('2027-01-01'), new Date('2028-01-01')];
  const { snapshots } = await world.usage.snapshots({ entity: 'key-1', type, from, to, pageSize: 1_000 });
  const periods: Record<string, number> = {};
  for (const { start, limits } of snapshots) {
    const period = start.toISOString().slice(0, characters);
    periods[period] = (periods[period] ?? 0) + (limits['rpm']?.net ?? 0);
  }
  return periods;
}

describe('whatever was lost of a history', () => {
  it('is booked by one repair: all types of windows then come to what was consumed, to the token, and verify finds nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const world = new UsageWorld({ at: '2027-01-05T00:30:00Z' });
        const net = await play(world, steps, true);

        await world.usage.repair();
        const { found, clean } = await world.usage.verify();

        expect(found).toEqual([]);
        expect(clean).toBe(true);
        expect(await sums(world)).toEqual([net, net, net, net]);
        expect(await byPeriod(world, 'hour', 10)).toEqual(await byPeriod(world, 'day', 10));
        expect(await byPeriod(world, 'day', 7)).toEqual(await byPeriod(world, 'month', 7));
      }),
      { numRuns: 100 },
    );
  });

  it('is booked although nothing came after it, once the stream has none of it any more: of items of which nothing ever was, too', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const world = new UsageWorld({ at: '2027-01-05T00:30:00Z' });
        const net = await play(world, steps, false);
        world.nowMs += 2 * DAY_MS;

        // Named: a bucket is listed by its first item, which some of these histories never write.
        const books = { entity: 'key-1', resource: 'gpt-4' };
        await world.usage.repair(books);

        expect(await world.usage.verify(books)).toMatchObject({ clean: true, found: [], inFlight: [] });
        expect(await sums(world)).toEqual([net, net, net, net]);
      }),
      { numRuns: 100 },
    );
  });
});
