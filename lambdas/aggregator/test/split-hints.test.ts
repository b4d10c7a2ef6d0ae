import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { type HotItem, SplitHints, STREAM_FILTERS } from '@millrace/aggregator-lambda';
import { bucketFromItem, bucketReadRequest, FIRST_LAYOUT, layoutAfter, type WireItem } from '@millrace/core';
import { Limit, RateLimiter } from '@millrace/limiter';
import { StreamPump } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { AT_MS, BucketWorld, worldOf } from './batch-world.js';
import { booked, liveWorld, namespaceId } from './live-world.js';

/** A handler that hints, and what it has hinted at. */
function hintingWorld(before: (item: HotItem) => void = () => undefined) {
  const left: HotItem[] = [];
  const store = {
    hint: async (item: HotItem): Promise<void> => {
      before(item);
      left.push(item);
    },
  };
  return { left, ...worldOf({ hints: new SplitHints({ store, fromPerSec: 800 }) }) };
}

/** Records of so many writes of one item in so many seconds. */
function writes(bucket: BucketWorld, entity: string, count: number, seconds = 1) {
  return Array.from({ length: count }, (_, index) => bucket.take(entity, 1, AT_MS + Math.floor((index * seconds) / count) * 1_000));
}

describe('a hint at a split', () => {
  it('is left on an item that was written to 800 times in a second, and on no other', async () => {
    const [bucket, { invoke, left, metrics }] = [new BucketWorld(), hintingWorld()];

    expect(await invoke([...writes(bucket, 'hot', 801), ...writes(bucket, 'warm', 799), ...writes(bucket, 'long', 1_600, 3)])).toEqual([]);

    expect(left).toEqual([
      { ref: { namespaceId: 'n1', entity: 'hot', resource: 'gpt-4', shard: 0 }, layout: 1, atSec: Math.floor(AT_MS / 1_000) },
    ]);
    expect(metrics.sum('hotItems')).toBe(1);
  });

  it.each([800, 900, 1_000])(
    'is left on one that is written to %i times a second, wherever its records are cut into batches',
    async (perSec) => {
      for (const cut of [1, 499, 750]) {
        const [bucket, { invoke, left }] = [new BucketWorld(), hintingWorld()];
        const records = writes(bucket, 'hot', 4 * perSec, 4);
        for (let begun = cut - 1_000; begun < records.length; begun += 1_000) {
          expect(await invoke(records.slice(Math.max(0, begun), begun + 1_000))).toEqual([]);
        }

        // A batch that completes two seconds tells of the later one.
        expect(left.length).toBeGreaterThanOrEqual(3);
        expect(left.at(-1)?.atSec).toBe(AT_MS / 1_000 + 3);
      }
    },
  );

  it('is not due for one that is written to 799 times a second, however its records are cut, and come again', async () => {
    const [bucket, { invoke, left }] = [new BucketWorld(), hintingWorld()];
    const records = writes(bucket, 'warm', 4 * 799, 4);

    for (const size of [250, 1_000]) {
      for (let begun = 0; begun < records.length; begun += size) await invoke(records.slice(begun, begun + size));
    }

    expect(left).toEqual([]);
  });

  it('is not the more due for records that come twice', async () => {
    const [bucket, { invoke, left }] = [new BucketWorld(), hintingWorld()];
    const records = writes(bucket, 'warm', 500);

    await invoke([...records, ...records]);

    expect(left).toEqual([]);
  });

  it('is not due where an item expired and came again: its write numbers begin anew, at a later moment', async () => {
    const [bucket, { invoke, left }] = [new BucketWorld(), hintingWorld()];
    const before = writes(bucket, 'key', 10);
    bucket.expire('key');
    const after = Array.from({ length: 10 }, () => bucket.take('key', 1, AT_MS + 1_000));

    await invoke([...before, ...after]);

    expect(left).toEqual([]);
  });

  it.each([
    [16, 1],
    [32, 0],
  ])('is due for one of a bucket of %i items, which has 32 at most: %i times', async (shards, expected) => {
    const [bucket, { invoke, left }] = [new BucketWorld(), hintingWorld()];
    const n = { N: String(layoutAfter(FIRST_LAYOUT, shards)) };
    const records = writes(bucket, 'key', 900).map((record) => {
      return { ...record, dynamodb: { ...record.dynamodb, NewImage: { ...record.dynamodb.NewImage, n } } };
    });

    await invoke(records);

    expect(left).toHaveLength(expected);
  });

  it('is not due for a meter of usage events, which is no bucket, nor more so for its bucket', async () => {
    const [bucket, { invoke, left, windows }] = [new BucketWorld(), hintingWorld()];

    expect(await invoke([...Array.from({ length: 900 }, () => bucket.bill('key', 1)), ...writes(bucket, 'key', 500)])).toEqual([]);

    expect(left).toEqual([]);
    expect(windows.used('key', 'day')).toBe(1_400);
  });

  it('that cannot be left is told, and the batch is done', async () => {
    const [bucket, world] = [
      new BucketWorld(),
      hintingWorld(() => {
        throw new Error('busy');
      }),
    ];

    expect(await world.invoke(writes(bucket, 'hot', 900))).toEqual([]);
    expect(world.windows.used('hot', 'day')).toBe(900);
    expect(world.metrics.troubles).toEqual([{ what: 'hint', message: 'busy', records: 0 }]);
  });

  it.each([0, 1_001, 1.5])('is not to be had from %d writes a second on', (fromPerSec) => {
    expect(() => new SplitHints({ store: { hint: async () => undefined }, fromPerSec })).toThrow('split hint threshold');
  });
});

describe('hints on a real table', () => {
  it('make clients split early, and leave the ledger, the write numbers and what is admitted as they are', async () => {
    const world = await liveWorld({}, { MILLRACE_HINT_WRITES_PER_SEC: '5' });
    const limiter = await RateLimiter.open(world.connection);
    const limits = [Limit.of({ name: 'rpd', capacity: 200, refill: 1, periodMs: 86_400_000 })];
    const pump = new StreamPump({ source: world.source, handler: world.handler, filters: STREAM_FILTERS });
    const ref = { namespaceId: await namespaceId(world), entity: 'key', resource: 'gpt-4', shard: 0 };
    const read = async () => {
      const { Item: item } = await world.dynamo.send(new GetItemCommand(bucketReadRequest(world.connection.table, ref)));
      return bucketFromItem(item as WireItem);
    };
    let admitted = 0;
    const take = async (times: number): Promise<void> => {
      for (let turn = 0; turn < times; turn += 1) {
        if ((await limiter.tryAcquire('key', 'gpt-4', { rpd: 1 }, { limits })).allowed) admitted += 1;
      }
    };

    await take(60);
    const before = await read();
    // It ends, so the record of the hint has brought about no other one.
    await pump.drain();
    const hinted = await read();
    await take(1);
    // What was begun beside the caller has ended.
    await limiter.close();
    const again = await RateLimiter.open(world.connection);
    for (let turn = 0; turn < 300; turn += 1) {
      if ((await again.tryAcquire('key', 'gpt-4', { rpd: 1 }, { limits })).allowed) admitted += 1;
    }
    await pump.drain();

    expect(before.hint).toBeUndefined();
    expect(hinted).toEqual({ ...before, hint: { layout: 1, atSec: expect.any(Number) } });
    expect(limiter.stats().splits).toBe(1);
    expect(world.figures('HotItems').some((count) => count > 0)).toBe(true);
    expect(admitted).toBeLessThanOrEqual(200);
    expect(admitted).toBeGreaterThanOrEqual(190);
    for (const type of ['hour', 'day', 'week', 'month'] as const) {
      expect(booked(await world.windows(), type)).toEqual({ key: { rpd: admitted } });
    }
    expect(await again.usage.verify({ settleMs: 0 })).toMatchObject({ clean: true, inFlight: [] });
    await again.close();
    await world.close();
  });
});
