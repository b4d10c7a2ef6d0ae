import { setTimeout as sleepFor } from 'node:timers/promises';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { STREAM_FILTERS } from '@millrace/aggregator-lambda';
import { wireKey, zoneKey } from '@millrace/core';
import { Limit, RateLimiter } from '@millrace/limiter';
import { type FailureMessage, installedEngines, type PumpCheckpoints, PumpCrash, type PumpOptions, StreamPump } from '@millrace/testing';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { admitted, atOneMoment, booked, callersProgram, liveWorld, namespaceId, runCallers } from './live-world.js';

const TYPES = ['hour', 'day', 'week', 'month'] as const;
const PROCESSES = 3;
const CALLERS = 8;
/** By how many batches of a shard are under way at once: how long callers take tokens meanwhile. */
const DURATIONS_MS = [
  [1, 30_000],
  [4, 8_000],
] as const;
/** Keeps the processors of a small machine free: a thousand calls a second would show no more than these do. */
const REST_MS = 200;
/** Between two looks at the stream. */
const POLL_MS = 400;

let program: string;
beforeAll(async () => {
  program = await callersProgram();
});
afterEach(() => vi.unstubAllEnvs());

/** Dice that fall the same for the same seed. */
function diceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Drains through pumps that die at random, each going on where the one before had come to. */
async function drainDying(options: PumpOptions, dice: () => number, chance: number): Promise<number> {
  for (let deaths = 0; ; deaths += 1) {
    try {
      await new StreamPump({ ...options, dies: () => dice() < chance }).drain();
      return deaths;
    } catch (error) {
      if (!(error instanceof PumpCrash)) throw error;
    }
  }
}

describe('three processes that take, correct and give back while the pump dies at random', () => {
  it.each(DURATIONS_MS)('are in the ledger with what they admit to, to the token, at a factor of %i, after %i ms', async (...run) => {
    const [parallelizationFactor, durationMs] = run;
    const world = await liveWorld();
    const dice = diceOf(parallelizationFactor);
    const checkpoints: PumpCheckpoints = new Map();
    const options = { source: world.source, handler: world.handler, checkpoints, parallelizationFactor, filters: STREAM_FILTERS };
    const connection = { ...world.connection, requestTimeoutMs: 30_000, deadlineMs: 60_000 };
    const entities = ['key-0', 'key-1', 'key-2', 'key-3'];
    const task = { connection, entities, callers: CALLERS, durationMs, restMs: REST_MS };
    // Each lane of a pass may be where the pump dies.
    const chance = 0.15 / parallelizationFactor;
    let isRunning = true;
    const callers = Promise.all(Array.from({ length: PROCESSES }, () => runCallers(program, task))).finally(() => {
      isRunning = false;
    });

    let deaths = 0;
    while (isRunning) {
      deaths += await drainDying({ ...options, batchSize: 50 }, dice, chance);
      await sleepFor(POLL_MS);
    }
    const reports = await callers;
    deaths += await drainDying({ ...options, batchSize: 50 }, dice, chance);

    const expected = admitted(reports);
    const [windows, lags] = [await world.windows(), world.figures('Lag').sort((a, b) => a - b)];
    const acquires = reports.reduce((sum, report) => sum + report.acquires, 0);
    console.log(
      `${acquires} acquires, ${deaths} deaths of the pump, ${world.units.taken} write units, lag of a batch: ` +
        `median ${lags[Math.floor(lags.length / 2)]} ms, p95 ${lags[Math.floor(lags.length * 0.95)]} ms`,
    );
    expect(reports.flatMap(({ errors }) => errors)).toEqual([]);
    expect(deaths).toBeGreaterThan(0);
    expect(acquires).toBeGreaterThan(0);
    for (const type of TYPES) expect(booked(windows, type)).toEqual(expected);
    await world.close();
  });
});

for (const installed of await installedEngines()) {
  const skipped = installed.available ? undefined : installed.reason;

  describe.skipIf(skipped !== undefined)(`on ${installed.name}`, () => {
    const engine = { engine: installed.name };

    it('a record that cannot be read goes to the failure destination alone, its neighbours are counted', async () => {
      const world = await liveWorld(engine);
      const limiter = await RateLimiter.open(world.connection);
      const limits = [Limit.perMinute('rpm', 60_000)];
      for (let turn = 0; turn < 10; turn += 1) {
        await limiter.acquire(`key-${turn % 2}`, 'gpt-4', { rpm: 3 }, { limits });
        if (turn !== 5) continue;
        const Item = { PK: { S: 'n1/b/poison/0' }, SK: { S: 'gpt-4' }, seq: { N: '1' }, 't.rpm': { N: '1' } };
        await world.dynamo.send(new PutItemCommand({ TableName: world.connection.table, Item }));
      }
      const messages: FailureMessage[] = [];
      const onFailure = (message: FailureMessage): void => void messages.push(message);

      await new StreamPump({ source: world.source, handler: world.handler, onFailure, filters: STREAM_FILTERS }).drain();

      expect(messages.map(({ DDBStreamBatchInfo: info }) => info.batchSize)).toEqual([1]);
      expect(booked(await world.windows(), 'day')).toEqual({ 'key-0': { rpm: 15 }, 'key-1': { rpm: 15 } });
      await limiter.close();
      await world.close();
    });

    it('every audit event is archived once, however often its batch comes', async () => {
      const world = await liveWorld(engine, { MILLRACE_AUDIT_BUCKET: 'audit' });
      // As Lambda sets them; the engine, which would take them for its own, runs already.
      vi.stubEnv('AWS_ACCESS_KEY_ID', 'millrace');
      vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'millrace');
      const limiter = await RateLimiter.open({ ...world.connection, actor: 'ann' });
      for (let turn = 0; turn < 12; turn += 1) await limiter.limits.setResource(`model-${turn % 3}`, [Limit.perMinute('rpm', turn + 1)]);
      await limiter.entities.create('key-1');
      const options = { source: world.source, handler: world.handler, batchSize: 5, filters: STREAM_FILTERS };

      await drainDying({ ...options, checkpoints: new Map() }, diceOf(7), 0.2);
      await new StreamPump({ ...options, batchSize: 3 }).drain();

      const { events } = await limiter.audit.list({ pageSize: 100 });
      const archived = [...world.bucket.objects.values()].map((line) => JSON.parse(line) as { id: string; actor: string; action: string });
      const ofNamespace = archived.filter(({ actor }) => actor === 'ann');
      expect(ofNamespace.map(({ id }) => id).sort()).toEqual(events.map(({ id }) => id).sort());
      expect(world.bucket.puts).toBeGreaterThan(world.bucket.objects.size);
      await limiter.close();
      await world.close();
    });
  });
}

describe('the function with all that it reads of the table', () => {
  it('tells once of an entity beyond a threshold of its stored limit, in a window that is kept, and books in the zone of the namespace', async () => {
    const world = await liveWorld(
      {},
      { MILLRACE_THRESHOLD_PERCENT: '80', MILLRACE_EVENT_BUS: 'limits', MILLRACE_WINDOW_TYPES: 'hour,week' },
    );
    const limiter = await RateLimiter.open(world.connection);
    // Days are not kept, so it is looked at in weeks, of 70.
    await limiter.limits.setResource('gpt-4', [Limit.of({ name: 'rpd', refill: 10, periodMs: 86_400_000, capacity: 100 })]);
    const Item = { ...wireKey(zoneKey(await namespaceId(world))), zone: { S: 'Asia/Tokyo' } };
    await world.dynamo.send(new PutItemCommand({ TableName: world.connection.table, Item }));
    for (let turn = 0; turn < 9; turn += 1) await limiter.acquire('busy', 'gpt-4', { rpd: 7 });
    await limiter.acquire('calm', 'gpt-4', { rpd: 1 });

    await new StreamPump({ source: world.source, handler: world.handler, batchSize: 3, filters: STREAM_FILTERS }).drain();

    const weeks = (await world.windows()).filter(({ ref }) => ref.type === 'week').map(({ ref }) => new Date(ref.startMs).toISOString());
    expect(weeks.map((start) => start.slice(11))).toEqual(['15:00:00.000Z', '15:00:00.000Z']);
    expect(Math.max(...world.figures('EntitiesNearLimit'))).toBe(1);
    expect(world.events.map(({ EventBusName: bus, Detail: detail }) => [bus, JSON.parse(detail ?? '')])).toMatchObject([
      ['limits', { entity: 'busy', resource: 'gpt-4', limit: 'rpd', window: { type: 'week' }, allowance: 70 }],
    ]);
    await limiter.close();
    await world.close();
  });
});

describe('a batch that is lost', () => {
  it('is told as a gap by the next one of the same buckets, and only then', async () => {
    const world = await liveWorld();
    const limiter = await RateLimiter.open(world.connection);
    const limits = [Limit.perMinute('rpm', 60_000)];
    let isLosing = false;
    const handler: typeof world.handler = async (event, context) => (isLosing ? { batchItemFailures: [] } : world.handler(event, context));
    const pump = new StreamPump({ source: world.source, handler, filters: STREAM_FILTERS });
    const told: number[] = [];
    for (const losing of [false, false, true, false, false]) {
      isLosing = losing;
      for (const entity of ['key-1', 'key-2']) await limiter.acquire(entity, 'gpt-4', { rpm: 1 }, { limits });
      const before = world.figures('Gaps').length;
      await pump.drain();
      told.push(
        world
          .figures('Gaps')
          .slice(before)
          .reduce((sum, gaps) => sum + gaps, 0),
      );
    }

    expect(told).toEqual([0, 0, 0, 2, 0]);
    expect(booked(await world.windows(), 'month')).toEqual({ 'key-1': { rpm: 5 }, 'key-2': { rpm: 5 } });
    await limiter.close();
    await world.close();
  });
});

describe('a thousand acquires on ten hot buckets', () => {
  it('cost the ledger at most a hundred write units', async () => {
    const world = await liveWorld();
    const limiter = await RateLimiter.open(world.connection);
    const limits = [Limit.perMinute('rpm', 60_000), Limit.perMinute('tpm', 6_000_000)];
    const caller = async (_: unknown, index: number): Promise<void> => {
      for (let turn = 0; turn < 100; turn += 1) await limiter.acquire(`key-${index}`, 'gpt-4', { rpm: 1, tpm: 10 }, { limits });
    };
    await Promise.all(Array.from({ length: 10 }, caller));

    const source = atOneMoment(world.source);
    await new StreamPump({ source, handler: world.handler, batchSize: 1_000, filters: STREAM_FILTERS }).drain();

    console.log(`${world.units.taken} write units for 1,000 acquires`);
    expect(booked(await world.windows(), 'day')['key-3']).toEqual({ rpm: 100, tpm: 1_000 });
    expect(world.units.taken).toBeLessThanOrEqual(100);
    await limiter.close();
    await world.close();
  });

  it('are on its books, to the token, when they are taken while the pump runs as Lambda would', async () => {
    const world = await liveWorld();
    const limiter = await RateLimiter.open(world.connection);
    const limits = [Limit.perMinute('rpm', 600_000)];
    const stop = new AbortController();
    const pump = new StreamPump({
      source: world.source,
      handler: world.handler,
      batchSize: 100,
      batchWindowMs: 100,
      filters: STREAM_FILTERS,
    });
    const running = pump.run(stop.signal, () => sleepFor(POLL_MS / 8));
    const caller = async (_: unknown, index: number): Promise<void> => {
      for (let turn = 0; turn < 25; turn += 1) await limiter.acquire(`key-${index % 10}`, 'gpt-4', { rpm: 1 }, { limits });
    };
    await Promise.all(Array.from({ length: 40 }, caller));
    // What is in the stream by now and was not read comes with a pump that goes on from there.
    stop.abort();
    await running;
    await new StreamPump({ source: world.source, handler: world.handler, checkpoints: pump.checkpoints, filters: STREAM_FILTERS }).drain();

    const expected = Array.from({ length: 10 }, (_, index) => [`key-${index}`, { rpm: 100 }]);
    for (const type of TYPES) expect(booked(await world.windows(), type)).toEqual(Object.fromEntries(expected));
    await limiter.close();
    await world.close();
  });
});
