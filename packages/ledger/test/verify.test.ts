import { bucketFromItem } from '@millrace/core';
import {
  findGaps,
  findMismatches,
  type Gap,
  narrowed,
  repairsFor,
  type StreamRecord,
  unbooked,
  usageOf,
  windowRewriteRequest,
  writesOf,
} from '@millrace/ledger';
import { describe, expect, it } from 'vitest';
import { LedgerWorld } from './ledger-world.js';

const hourOf = (gap: Gap, side: 'before' | 'after'): string | undefined => {
  const startMs = gap[side]?.startMs;
  return startMs === undefined ? undefined : new Date(startMs).toISOString().slice(0, 16);
};

const shown = (gaps: readonly Gap[]) =>
  gaps.map((gap) => {
    const { used, returned, net } = usageOf(gap.missing);
    return [gap.kind, gap.limit, hourOf(gap, 'before'), hourOf(gap, 'after'), Number(used), Number(returned), Number(net)];
  });

async function repair(world: LedgerWorld, gaps: readonly Gap[]): Promise<void> {
  for (const change of repairsFor(gaps)) await world.store.widen(change);
}

/** Twelve hours of use, 100 tokens an hour and 10 of them back. */
function halfDay(world: LedgerWorld): StreamRecord[] {
  return Array.from({ length: 12 }, (_, hour) => String(hour + 8).padStart(2, '0')).flatMap((hour) => [
    world.take(`2027-01-31T${hour}:10:00Z`, 100),
    world.giveBack(`2027-01-31T${hour}:40:00Z`, 10),
  ]);
}

describe('a ledger that has everything', () => {
  it('has no gaps, and its hours add up to days, weeks and months', async () => {
    const world = new LedgerWorld();
    await world.deliver(...halfDay(world), world.take('2027-02-01T00:00:00Z', 3));

    expect(findGaps(world.windows(), 0)).toEqual([]);
    for (const type of ['day', 'week', 'month'] as const) {
      expect(findMismatches(world.windows('hour'), world.windows(type), 'UTC', type)).toEqual([]);
    }
    expect(world.usage('month')).toEqual({ '2027-01-01T00:00': 12 * 90, '2027-02-01T00:00': 3 });
  });

  it('has counted what the bucket has', async () => {
    const world = new LedgerWorld();
    const records = halfDay(world);
    await world.deliver(...records.slice(0, -2));
    const state = world.buckets.bucket(world.ref);
    if (state === undefined) throw new Error('no bucket');

    const left = unbooked(world.windows('hour'), state).get('rpm');
    expect(left && usageOf(left)).toEqual({ used: 100n, returned: 10n, net: 90n });
    expect(left?.isBirth).toBe(false);

    await world.deliver(...records.slice(-2));
    expect(unbooked(world.windows('hour'), state).size).toBe(0);
  });

  it('knows that a bucket that came again has begun anew', async () => {
    const world = new LedgerWorld();
    await world.deliver(world.take('2027-01-15T00:10:00Z', 5), world.expire('2027-01-25T00:00:00Z'));
    const record = world.take('2027-01-25T03:00:00Z', 7);

    const left = unbooked(world.windows('hour'), bucketFromItem(record.newImage ?? {})).get('rpm');
    expect(left && usageOf(left).net).toBe(7n);
    expect(left?.isBirth).toBe(true);
  });

  it('knows how many writes a window spans', async () => {
    const world = new LedgerWorld();
    await world.deliver(...halfDay(world));

    expect(world.windows('hour').map(writesOf)).toEqual(Array.from({ length: 12 }, () => 2));
    expect(world.windows('day').map(writesOf)).toEqual([24]);
  });
});

describe('a dropped batch', () => {
  it('shows as a gap, with the amount and the place', async () => {
    const world = new LedgerWorld();
    const records = halfDay(world);
    // All from 11:10 to 13:10 is lost.
    await world.deliver(...records.slice(0, 6), ...records.slice(11));

    const gaps = findGaps(world.windows('hour'));
    expect(shown(gaps)).toEqual([['between', 'rpm', '2027-01-31T10:00', '2027-01-31T13:00', 300, 20, 280]]);
    expect(gaps[0] && gaps[0].seq.to - gaps[0].seq.from).toBe(5);
    expect(findGaps(world.windows('day'))).toEqual([]);
  });

  it('is booked by its repair: verify is clean, and hours add up again to their day and month', async () => {
    const world = new LedgerWorld();
    const records = halfDay(world);
    await world.deliver(...records.slice(0, 6), ...records.slice(11));
    expect(findMismatches(world.windows('hour'), world.windows('day'), 'UTC', 'day')).toEqual([
      expect.objectContaining({ limit: 'rpm', whole: 1_080n, parts: 800n }),
    ]);

    await repair(world, findGaps(world.windows()));

    expect(findGaps(world.windows(), 0)).toEqual([]);
    for (const type of ['day', 'month'] as const) {
      expect(findMismatches(world.windows('hour'), world.windows(type), 'UTC', type)).toEqual([]);
    }
    expect(world.usage('hour')['2027-01-31T13:00']).toBe(280 - 10);
  });

  it('is booked once: a second repair by the same gaps changes nothing', async () => {
    const world = new LedgerWorld();
    const records = halfDay(world);
    await world.deliver(...records.slice(0, 6), ...records.slice(11));
    const gaps = findGaps(world.windows());
    await repair(world, gaps);

    expect(await Promise.all(repairsFor(gaps).map((change) => world.store.widen(change)))).toEqual(['known']);
  });

  it('inside a window repairs itself with the next record', async () => {
    const world = new LedgerWorld();
    const early = world.take('2027-01-15T00:10:00Z', 1);
    world.take('2027-01-15T00:20:00Z', 500);
    world.giveBack('2027-01-15T00:25:00Z', 100);
    await world.deliver(early, world.take('2027-01-15T00:30:00Z', 1));

    expect(findGaps(world.windows(), 0)).toEqual([]);
    expect(world.usage('hour')).toEqual({ '2027-01-15T00:00': 402 });
  });

  it('over the end of a day and a month is booked by all types into what comes after, so that they agree', async () => {
    const world = new LedgerWorld();
    const [early, , lost, late] = [
      world.take('2027-01-31T22:00:00Z', 1),
      world.take('2027-01-31T22:30:00Z', 1),
      world.take('2027-01-31T23:30:00Z', 500),
      world.take('2027-02-01T01:00:00Z', 1),
    ];
    expect(lost.eventId).toBe('2027-01-31T23:30:00Z');
    await world.deliver(early, late);

    await repair(world, findGaps(world.windows()));

    expect(findGaps(world.windows(), 0)).toEqual([]);
    expect(world.usage('month')).toEqual({ '2027-01-01T00:00': 1, '2027-02-01T00:00': 502 });
    for (const type of ['day', 'week', 'month'] as const) {
      expect(findMismatches(world.windows('hour'), world.windows(type), 'UTC', type)).toEqual([]);
    }
  });

  it('changes nothing else when it is repaired while records come in', async () => {
    const [world, whole] = [new LedgerWorld(), new LedgerWorld()];
    const records = halfDay(world);
    await whole.deliver(...records);
    await world.deliver(...records.slice(0, 6), ...records.slice(11, 14));
    const gaps = findGaps(world.windows());

    await world.deliver(...records.slice(14, 18));
    await repair(world, gaps);
    await world.deliver(...records.slice(12));

    expect(findGaps(world.windows(), 0)).toEqual([]);
    expect(world.usage('day')).toEqual(whole.usage('day'));
    const after = (hours: Readonly<Record<string, number>>) => Object.entries(hours).filter(([hour]) => hour > '2027-01-31T13:00');
    expect(after(world.usage('hour'))).toEqual(after(whole.usage('hour')));
  });
});

describe('a beginning that was lost', () => {
  it('is found where everything since is known, and its net amount is exact although its base is unknown', async () => {
    const world = new LedgerWorld();
    world.take('2027-01-15T00:10:00Z', 50);
    world.giveBack('2027-01-15T00:20:00Z', 20);
    await world.deliver(world.take('2027-01-15T01:10:00Z', 5));

    const gaps = findGaps(world.windows('hour'), Date.parse('2027-01-15T00:00:00Z'));
    expect(shown(gaps)).toEqual([['beginning', 'rpm', undefined, '2027-01-15T01:00', 30, 0, 30]]);
    expect(findGaps(world.windows('hour'))).toEqual([]);

    await repair(world, findGaps(world.windows(), 0));
    expect(findGaps(world.windows(), 0)).toEqual([]);
    expect(world.usage('hour')).toEqual({ '2027-01-15T01:00': 35 });
  });

  it('of an item that came again is told from the time that has passed since it went', async () => {
    const world = new LedgerWorld();
    await world.deliver(world.take('2027-01-15T00:10:00Z', 5), world.expire('2027-01-25T00:00:00Z'));
    world.take('2027-01-25T03:00:00Z', 7);
    await world.deliver(world.take('2027-01-25T04:00:00Z', 1));

    const gaps = findGaps(world.windows('hour'));
    expect(shown(gaps)).toEqual([['beginning', 'rpm', undefined, '2027-01-25T04:00', 7, 0, 7]]);
    await repair(world, findGaps(world.windows()));
    expect(world.usage('month')).toEqual({ '2027-01-01T00:00': 13 });
  });

  it('is no matter where the item is older than its era: an earlier release has made it', async () => {
    const world = new LedgerWorld();
    const before = world.take('2027-01-15T00:10:00Z', 5);
    const record = world.take('2027-01-16T00:10:00Z', 7);
    // The first writer named no era; the second one named its own time.
    const { o: _, ...nameless } = before.newImage ?? {};
    const named = { ...record.newImage, o: { N: String(Date.parse('2027-01-16T00:10:00Z') * 1_000) } };
    await world.deliver({ ...record, oldImage: nameless, newImage: named });

    expect(findGaps(world.windows(), 0)).toEqual([]);
    expect(world.usage('day')).toEqual({ '2027-01-16T00:00': 7 });
  });
});

describe('eras', () => {
  it('that a drop ends join for the limits that go on, and what is lost between them is found', async () => {
    const world = new LedgerWorld();
    const first = [world.take('2027-01-15T00:10:00Z', 5), world.take('2027-01-15T00:11:00Z', 9, 'tpm')];
    const drop = world.drop('2027-01-15T00:20:00Z', 'tpm');
    world.take('2027-01-15T01:00:00Z', 30);
    const later = world.take('2027-01-15T02:00:00Z', 1);
    await world.deliver(...first, drop, later);

    expect(shown(findGaps(world.windows('hour'), 0))).toEqual([['between', 'rpm', '2027-01-15T00:00', '2027-01-15T02:00', 30, 0, 30]]);
    await repair(world, findGaps(world.windows()));
    expect(findGaps(world.windows(), 0)).toEqual([]);
    expect(world.usage('day')).toEqual({ '2027-01-15T00:00': 36 });
  });

  it('join in whatever order their windows are handed in, and a loss of a thousand million tokens between them is no beginning', async () => {
    const world = new LedgerWorld();
    const records = [world.take('2027-01-15T00:10:00Z', 5), world.take('2027-01-15T00:11:00Z', 9, 'tpm')];
    records.push(world.drop('2027-01-15T00:20:00Z', 'tpm'), world.take('2027-01-15T00:30:00Z', 1));
    records.push(world.take('2027-01-15T00:40:00Z', 9, 'tpm'));
    await world.deliver(...records);
    expect(findGaps([...world.windows()].reverse(), 0)).toEqual([]);

    const dropped = world.drop('2027-01-15T01:00:00Z', 'tpm');
    world.take('2027-01-15T01:10:00Z', 2_000_000_000);
    await world.deliver(dropped, world.take('2027-01-15T02:00:00Z', 1));
    expect(shown(findGaps(world.windows('hour'), 0))).toMatchObject([
      ['between', 'rpm', expect.any(String), expect.any(String), 2e9, 0, 2e9],
    ]);
  });
});

describe('records that come after their gap was booked', () => {
  it('make an overlap, too, where they only gave back', async () => {
    const world = new LedgerWorld();
    const first = world.take('2027-01-15T00:10:00Z', 50);
    const late = world.giveBack('2027-01-15T00:20:00Z', 20);
    await world.deliver(first, world.take('2027-01-15T01:10:00Z', 5));
    await repair(world, findGaps(world.windows()));
    await world.deliver(late);

    expect(shown(findGaps(world.windows('hour')))).toEqual([['overlap', 'rpm', '2027-01-15T00:00', '2027-01-15T01:00', 0, -20, 20]]);
  });

  it('make an overlap, which is found, and taken out of the window that it was booked into', async () => {
    const world = new LedgerWorld();
    const records = halfDay(world);
    await world.deliver(...records.slice(0, 6), ...records.slice(11));
    await repair(world, findGaps(world.windows()));
    await world.deliver(...records.slice(6, 11));

    const gaps = findGaps(world.windows('hour'));
    expect(shown(gaps)).toEqual([['overlap', 'rpm', '2027-01-31T12:00', '2027-01-31T13:00', -200, -20, -180]]);
    expect(repairsFor(gaps)).toEqual([]);

    const window = world.windows('hour').find(({ ref }) => ref.startMs === gaps[0]?.after.startMs);
    const right = window && narrowed(window, gaps);
    expect(right?.limits.get('rpm') && usageOf(right.limits.get('rpm') as never)).toMatchObject({ used: 100n, returned: 10n });
    expect(window && right && windowRewriteRequest('millrace', window, right, {}).ConditionExpression).toContain('=');
    expect(window && narrowed(window, [])).toBeUndefined();
  });
});
