import { STREAM_FILTERS } from '@millrace/aggregator-lambda';
import { numberAt, textAt } from '@millrace/core';
import { Limit, RateLimiter } from '@millrace/limiter';
import { type LambdaStreamRecord, PumpCrash, StreamPump, type StreamSource } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { booked, liveWorld } from './live-world.js';

const limits = [Limit.perMinute('rpm', 10_000), Limit.perMinute('tpm', 10_000_000)];
const TYPES = ['hour', 'day', 'week', 'month'] as const;
const BILLING = { resources: ['billed'], maxDelayMs: 0 };

/** A stream that has lost some of its records. */
function without(source: StreamSource, isLost: (record: LambdaStreamRecord) => boolean): StreamSource {
  return {
    shards: () => source.shards(),
    read: async (id, after, limit) => {
      const page = await source.read(id, after, limit);
      return { ...page, records: page.records.filter((record) => !isLost(record)) };
    },
  };
}

describe('the usage events of the stream of a real engine', () => {
  it('are added up in windows beside those of the buckets, however often their batches come, and an event is in none itself', async () => {
    const world = await liveWorld();
    const limiters = await Promise.all([0, 1].map(() => RateLimiter.open({ ...world.connection, billing: BILLING })));
    let dice = 7;
    const dies = (): boolean => {
      dice = (Math.imul(dice, 1_664_525) + 1_013_904_223) >>> 0;
      return dice / 2 ** 32 < 0.1;
    };
    for (let turn = 0; turn < 8; turn += 1) {
      await Promise.all(
        limiters.map(async (limiter, index) => {
          const options = { limits, ...(turn % 4 === 0 ? { idempotencyKey: `job-${turn}` } : {}) };
          await limiter.withLease(`key-${turn % 2}`, 'billed', { rpm: 1, tpm: 50 }, (lease) => lease.adjust({ tpm: index - 30 }), options);
          await limiter.withLease('key-0', 'free', { rpm: 1 }, () => undefined, { limits });
        }),
      );
    }
    await Promise.all(limiters.map((limiter) => limiter.flush()));

    const options = { source: world.source, handler: world.handler, batchSize: 5, parallelizationFactor: 4, filters: STREAM_FILTERS };
    const checkpoints = new Map();
    for (let isDone = false; !isDone; ) {
      try {
        await new StreamPump({ ...options, checkpoints, dies }).drain();
        isDone = true;
      } catch (error) {
        if (!(error instanceof PumpCrash)) throw error;
      }
    }
    await new StreamPump({ ...options, batchSize: 3 }).drain();

    const [limiter] = limiters as [RateLimiter];
    const windows = await world.windows();
    const ofEvents = windows.filter(({ ref }) => ref.source === 'events');
    const ever = { resource: 'billed', from: new Date(0), to: new Date('2200-01-01') };
    const sums: Record<string, Record<string, number>> = {};
    let count = 0;
    for (const entity of ['key-0', 'key-1']) {
      const { events } = await limiter.usage.events({ ...ever, entity, pageSize: 1_000 });
      const sum = (name: string) => events.reduce((tokens, { amounts }) => tokens + (amounts[name] ?? 0), 0);
      sums[entity] = { rpm: sum('rpm'), tpm: sum('tpm') };
      count += events.length;
      const { snapshots } = await limiter.usage.snapshots({ ...ever, entity, type: 'month', source: 'events' });
      expect(snapshots.reduce((writes, snapshot) => writes + snapshot.writes, 0)).toBe(events.length);
      expect(await limiter.usage.verify({ entity, source: 'events', settleMs: 0 })).toMatchObject({ clean: true, inFlight: [] });
    }
    // Every fourth turn both commit a lease of one key.
    expect(count).toBe(16 - 2);
    for (const type of TYPES) expect(booked(ofEvents, type)).toEqual(sums);
    expect(ofEvents.filter(({ ref }) => ref.bucket.resource !== 'billed')).toEqual([]);
    expect(
      booked(
        windows.filter(({ ref }) => ref.source === undefined && ref.bucket.resource === 'billed'),
        'day',
      ),
    ).toMatchObject({
      'key-1': { rpm: 8 },
    });
    await Promise.all(limiters.map((own) => own.close()));
    await world.close();
  });

  it('of which the last records are lost are seen on their way, and after a day as missing; a repair books them', async () => {
    const world = await liveWorld();
    let aheadMs = 0;
    const clock = { nowMs: () => Date.now() + aheadMs };
    const limiter = await RateLimiter.open({ ...world.connection, clock, billing: BILLING });
    const record = async (tpm: number) => {
      await limiter.withLease('key-1', 'billed', { tpm }, () => undefined, { limits });
      await limiter.flush();
    };
    for (const tpm of [10, 20, 40]) await record(tpm);
    const isLost = ({ dynamodb: { NewImage: image = {} } }: LambdaStreamRecord): boolean =>
      textAt(image, 'SK') === 'm/0' && (numberAt(image, 'seq') ?? 0) - (numberAt(image, 'o') ?? 0) === 3;

    await new StreamPump({
      source: without(world.source, isLost),
      handler: world.handler,
      batchSize: 1_000,
      filters: STREAM_FILTERS,
    }).drain();

    const verify = () => limiter.usage.verify({ entity: 'key-1', resource: 'billed', source: 'events', settleMs: 0 });
    expect(
      booked(
        (await world.windows()).filter(({ ref }) => ref.source === 'events'),
        'day',
      ),
    ).toEqual({ 'key-1': { tpm: 30 } });
    expect(await verify()).toMatchObject({ clean: true, inFlight: [{ limit: 'tpm', net: 40 }] });
    aheadMs = 2 * 86_400_000;
    expect(await verify()).toMatchObject({ clean: false, found: TYPES.map((type) => ({ kind: 'end', type, limit: 'tpm', net: 40 })) });
    const repair = { entity: 'key-1', resource: 'billed', source: 'events', settleMs: 0 } as const;
    expect(await limiter.usage.repair(repair)).toMatchObject({ clean: true, repairedCount: 4 });
    expect(await verify()).toMatchObject({ clean: true, found: [], inFlight: [] });
    const summary = { entity: 'key-1', from: new Date(0), to: new Date('2200-01-01'), type: 'hour', source: 'events' } as const;
    expect(await limiter.usage.summary(summary)).toMatchObject({ resources: { billed: { tpm: { net: 70 } } } });
    await limiter.close();
    await world.close();
  });
});
