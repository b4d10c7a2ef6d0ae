import { describe, expect, it } from 'vitest';
import { AT_MS, BucketWorld, poison, sequences, worldOf } from './batch-world.js';

const TYPES = ['hour', 'day', 'week', 'month'] as const;

describe('a batch', () => {
  it('is folded to one write for each bucket and window, whatever the number of its records', async () => {
    const [bucket, { invoke, windows, metrics }] = [new BucketWorld(), worldOf()];
    const records = Array.from({ length: 100 }, (_, index) => bucket.take(`key-${index % 2}`, 3));

    expect(await invoke(records)).toEqual([]);

    expect(windows.tried).toHaveLength(2 * 4);
    for (const type of TYPES) expect(windows.used('key-0', type)).toBe(150);
    expect(metrics.batches).toEqual([
      {
        records: 100,
        steps: 100,
        poison: 0,
        failed: 0,
        windowsWritten: 8,
        gaps: 0,
        windowsKnown: 0,
        auditArchived: 0,
        throttles: 0,
        lagMs: 2_000,
        durationMs: 0,
      },
    ]);
  });

  it('from which a record is missing tells that there is a gap, and is booked in full by the next record', async () => {
    const [bucket, { invoke, windows, metrics }] = [new BucketWorld(), worldOf()];
    const [first, lost, third] = [bucket.take('key', 5), bucket.take('key', 7), bucket.take('key', 1)];

    expect(lost).toBeDefined();
    await invoke([first, third]);

    expect(metrics.sum('gaps')).toBe(1);
    expect(windows.used('key', 'day')).toBe(13);
  });

  it('counts the first acquire of a bucket, which is an insert', async () => {
    const [bucket, { invoke, windows }] = [new BucketWorld(), worldOf()];

    await invoke([bucket.take('key', 7)]);

    expect(windows.used('key', 'hour')).toBe(7);
  });

  it('that comes twice, or in part, or late, counts once', async () => {
    const [bucket, { invoke, windows, metrics }] = [new BucketWorld(), worldOf()];
    const records = Array.from({ length: 10 }, () => bucket.take('key', 5));

    for (const batch of [records.slice(5), records, records.slice(0, 5), records.slice(3, 4), records]) await invoke(batch);

    for (const type of TYPES) expect(windows.used('key', type)).toBe(50);
    expect(metrics.sum('windowsKnown')).toBe(3 * 4);
  });

  it('at midnight of a month that begins on a Monday goes to four windows that do not collide', async () => {
    const [bucket, { invoke, windows }] = [new BucketWorld(), worldOf()];
    const midnightMs = Date.UTC(2026, 5, 1);

    await invoke([bucket.take('key', 10, midnightMs), bucket.take('key', 7, midnightMs + 5 * 3_600_000)]);

    expect(windows.store.windows().filter(({ ref }) => ref.startMs === midnightMs)).toHaveLength(4);
    expect(TYPES.map((type) => windows.used('key', type))).toEqual([17, 17, 17, 17]);
  });

  it('takes nothing back when a bucket expires', async () => {
    const [bucket, { invoke, windows }] = [new BucketWorld(), worldOf()];

    expect(await invoke([bucket.take('key', 7), bucket.expire('key')])).toEqual([]);

    expect(windows.used('key', 'month')).toBe(7);
  });

  it('lies in the windows of its namespace, by the zone of that', async () => {
    const [bucket, zones] = [new BucketWorld(), new Map([['n1', 'Asia/Tokyo']])];
    const { invoke, windows } = worldOf({ zones: { zoneOf: async (id) => zones.get(id) ?? 'UTC' } }, { windowTypes: ['day'] });
    const lateMs = Date.UTC(2026, 4, 13, 16);

    await invoke([bucket.take('key', 1, lateMs, 'n1'), bucket.take('key', 1, lateMs, 'n2')]);

    expect(windows.store.windows().map(({ ref }) => [ref.bucket.namespaceId, new Date(ref.startMs).toISOString()])).toEqual([
      ['n1', '2026-05-13T15:00:00.000Z'],
      ['n2', '2026-05-13T00:00:00.000Z'],
    ]);
  });

  it('of items that are no buckets writes nothing', async () => {
    const [bucket, { invoke, windows }] = [new BucketWorld(), worldOf()];
    const record = bucket.stream.append({ newImage: { PK: { S: 'n1/u/key' }, SK: { S: 'hour/gpt-4/x/0/0' } }, atMs: AT_MS });

    expect(await invoke([record])).toEqual([]);
    expect(windows.tried).toEqual([]);
  });

  it.each([
    [{ applyConcurrency: 1 }, 1],
    [{ applyConcurrency: 7 }, 7],
    [{}, 50],
    [{ applyConcurrency: 200 }, 160],
  ])('has as many writes under way as it is told, and no more: %o', async (options, expected) => {
    const [bucket, { invoke, windows }] = [new BucketWorld(), worldOf({}, options)];
    let [running, most] = [0, 0];
    windows.before = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    };

    await invoke(Array.from({ length: 40 }, (_, index) => bucket.take(`key-${index}`, 1)));

    expect(most).toBe(expected);
    expect(windows.tried).toHaveLength(160);
  });
});

describe('a batch of which something fails', () => {
  it('reports a record that cannot be read alone, and counts its neighbours', async () => {
    const [bucket, { invoke, windows, metrics }] = [new BucketWorld(), worldOf()];
    const [first, bad, last] = [bucket.take('key', 1), poison(bucket.stream), bucket.take('key', 2)];

    expect(await invoke([first, bad, last])).toEqual(sequences(bad));

    expect(windows.used('key', 'day')).toBe(3);
    expect(metrics.troubles).toMatchObject([{ what: 'poison', records: 1 }]);
    expect(metrics.batches).toMatchObject([{ poison: 1, failed: 1 }]);
  });

  it.each([
    ['a record without its DynamoDB part', { eventID: 'e', dynamodb: undefined }],
    ['an image that is none', { eventID: 'e', dynamodb: { SequenceNumber: '9', NewImage: 'text', ApproximateCreationDateTime: 1 } }],
    ['nothing at all', null],
  ])('reports %s and goes on', async (_, record) => {
    const [bucket, { invoke, windows }] = [new BucketWorld(), worldOf()];

    const failed = await invoke([record, bucket.take('key', 4)]);

    expect(failed).toHaveLength(1);
    expect(windows.used('key', 'hour')).toBe(4);
  });

  it('reports the records of a window that could not be written, in order, and no others', async () => {
    const [bucket, { invoke, windows, metrics }] = [new BucketWorld(), worldOf()];
    const [a1, b1, a2, b2] = [bucket.take('a', 1), bucket.take('b', 1), bucket.take('a', 1), bucket.take('b', 1)];
    windows.before = ({ ref }) => {
      if (ref.bucket.entity === 'a' && ref.type === 'week') throw new Error('no capacity');
    };

    expect(await invoke([a1, b1, a2, b2])).toEqual(sequences(a1, a2));

    expect(['a', 'b'].map((entity) => TYPES.map((type) => windows.used(entity, type)))).toEqual([
      [2, 2, 0, 2],
      [2, 2, 2, 2],
    ]);
    expect(metrics.troubles).toEqual([{ what: 'window', message: 'no capacity', records: 2, eventId: a1.eventID }]);
  });

  it('counts right when it comes again, half of it written before', async () => {
    const [bucket, { invoke, windows }] = [new BucketWorld(), worldOf()];
    const records = Array.from({ length: 20 }, (_, index) => bucket.take(`key-${index % 3}`, 2));
    let turn = 0;
    windows.before = () => {
      turn += 1;
      if (turn % 2 === 0) throw new Error('no capacity');
    };
    await invoke(records);
    windows.before = () => undefined;

    expect(await invoke(records)).toEqual([]);

    for (const type of TYPES) expect(windows.used('key-0', type)).toBe(14);
  });

  it('begins nothing more when its time runs out, and reports what is left', async () => {
    const [bucket, { invoke, windows, metrics }] = [new BucketWorld(), worldOf({}, { applyConcurrency: 1, reserveMs: 1_000 })];
    const records = ['a', 'b', 'c'].map((entity) => bucket.take(entity, 1));
    let remainingMs = 60_000;
    windows.before = ({ ref }) => {
      if (ref.bucket.entity === 'b') remainingMs = 1_000;
    };

    expect(await invoke(records, () => remainingMs)).toEqual(sequences(...records.slice(1)));

    expect(windows.used('a', 'month')).toBe(1);
    expect(windows.tried.map(({ ref }) => ref.bucket.entity)).toEqual(['a', 'a', 'a', 'a', 'b']);
    expect(metrics.troubles).toMatchObject([{ what: 'deadline', records: 2 }]);
  });

  it('lets the records of a namespace wait whose zone cannot be read, or is none, and counts the others', async () => {
    const bucket = new BucketWorld();
    const zoneOf = async (id: string): Promise<string> => {
      if (id === 'n2') throw new Error('no capacity');
      return id === 'n3' ? 'Mars/Olympus' : 'UTC';
    };
    const { invoke, windows } = worldOf({ zones: { zoneOf } });
    const records = ['n1', 'n2', 'n3'].map((id) => bucket.take('key', 1, AT_MS, id));

    expect(await invoke(records)).toEqual(sequences(...records.slice(1)));
    expect(windows.used('key', 'hour')).toBe(1);
  });

  it('is refused whole where it is no batch of a stream', async () => {
    const { handler } = worldOf();

    await expect(handler({ Records: undefined }, { getRemainingTimeInMillis: () => 1 })).rejects.toThrow('Records of a DynamoDB stream');
  });
});

describe('the options of a handler', () => {
  it.each([{ applyConcurrency: 0 }, { applyConcurrency: 201 }, { applyConcurrency: 1.5 }, { windowTypes: [] }, { batchSize: 10 }])(
    'are refused where they cannot work: %o',
    (options) => {
      expect(() => worldOf({}, options as never)).toThrow(expect.objectContaining({ code: 'VALIDATION' }));
    },
  );
});
