import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { type BucketRef, bucketFromItem, bucketReadRequest, Limit, layoutOf, MAX_SHARDS, shardCount, type WireItem } from '@millrace/core';
import { Engine } from '@millrace/limiter/engine';
import { FakeRuntime, installedEngines, launchEngine } from '@millrace/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../src/dynamo/client.js';
import { openTransport, type TransportName } from '../src/dynamo/open-transport.js';
import { DynamoStore } from '../src/wire/dynamo-store.js';
import { tableOn } from './engine-table.js';
import { FaultyWorld } from './faulty-world.js';
import { bucketOf } from './spread-world.js';

const engines = (await installedEngines()).filter(({ available }) => available);
const LIMIT = Limit.perSecond('tokens', 2_000, { capacity: 1_000 });
const ROUND_MS = 50;

describe.each(engines)('four processes on $name', { timeout: 240_000 }, ({ name }) => {
  it.each<TransportName>(['lean', 'sdk'])(
    'spread a bucket over 2 items, over 4, and over 2 again while they take from it (%s)',
    async (transport) => {
      const engine = await launchEngine({ engine: name });
      const { table, connection, close } = await tableOn(engine);
      const opened = await Promise.all(
        [0, 1, 2, 3].map(async () =>
          openTransport(transport, await connect(connection, table), { table, timeoutMs: 30_000, onRequest: () => undefined }),
        ),
      );
      try {
        const load = new Load(opened.map((one) => new DynamoStore(one.transport, table)));
        await load.run(24, () => load.shards < 4);
        await load.run(1, () => load.shards > 2);
        await load.close();

        expect(load.errors).toEqual([]);
        expect(load.layouts).toEqual([1, 2, 4, 2]);
        expect(await load.net()).toBe(load.held);
        expect(load.admitted).toBeLessThanOrEqual(LIMIT.capacity + (LIMIT.refill * load.passedMs) / LIMIT.periodMs);
      } finally {
        for (const one of opened) one.connection.close();
        await close();
        await engine.close();
      }
    },
  );
});

/** Callers of several processes, in rounds: in each all call at once, and then time moves on, however long the calls have taken. */
class Load {
  readonly layouts: number[] = [1];
  readonly errors: unknown[] = [];
  admitted = 0;
  held = 0;
  passedMs = 0;
  readonly #runtime = new FakeRuntime();
  readonly #stores: readonly DynamoStore[];
  readonly #engines: readonly Engine[];
  readonly #ref: BucketRef = bucketOf('hot');

  constructor(stores: readonly DynamoStore[]) {
    this.#stores = stores;
    const { clock, sleep, random } = this.#runtime;
    const sharding = { maxShards: 4, splitPerSec: 50, mergePerSec: 20, settleMs: 10_000 };
    const common = { namespaceId: 'ns', clock, sleep, random, deadlineMs: 600_000, configTtlMs: 60_000, maxEntries: 1_000, sharding };
    this.#engines = stores.map((store) => new Engine({ ...common, store }));
  }

  get shards(): number {
    return this.layouts.at(-1) ?? 1;
  }

  async run(callers: number, goesOn: () => boolean): Promise<void> {
    for (let round = 0; goesOn() && round < 4_000; round += 1) {
      await Promise.all(Array.from({ length: callers }, (_, caller) => this.#call(round + caller)));
      const first = await this.#stores[0]?.read(this.#ref);
      const count = shardCount(layoutOf(first));
      if (count !== this.shards) this.layouts.push(count);
      // Few calls come seldom, too.
      const ms = callers === 1 ? 20 * ROUND_MS : ROUND_MS;
      this.#runtime.advance(ms);
      this.passedMs += ms;
    }
  }

  async net(): Promise<number> {
    let net = 0n;
    for (let shard = 0; shard < MAX_SHARDS; shard += 1) {
      const state = await this.#stores[0]?.read({ ...this.#ref, shard });
      const held = state?.limits.get('tokens');
      if (held !== undefined) net += held.used - held.returned;
    }
    return Number(net);
  }

  async close(): Promise<void> {
    for (const engine of this.#engines) await engine.close();
  }

  async #call(number: number): Promise<void> {
    const tokens = number % 7 === 0 ? 300 : 1 + (number % 9);
    const engine = this.#engines[number % this.#engines.length] as Engine;
    try {
      const verdict = await engine.tryAcquire('hot', 'model', { tokens }, { limits: [LIMIT] });
      if (!verdict.allowed) return;
      this.admitted += tokens;
      const { lease } = verdict;
      if (number % 5 === 0) await lease.adjust({ tokens: 2 });
      if (number % 3 === 0) await lease.release();
      this.held += lease.consumed['tokens'] ?? 0;
      // What is given back may be taken again.
      if (lease.settled) this.admitted -= tokens;
    } catch (error) {
      this.errors.push(error);
    }
  }
}

describe('a bucket whose partition DynamoDB throttles', { timeout: 120_000 }, () => {
  const limits = [Limit.perMinute('rpm', 1_000)];
  let world: FaultyWorld;
  beforeAll(async () => {
    world = await FaultyWorld.launch();
  });
  afterAll(() => world.close());

  const throttled = (...reasons: string[]) =>
    ({
      kind: 'answer',
      status: 400,
      type: 'ThrottlingException',
      carriedOut: false,
      details: { throttlingReasons: reasons.map((reason) => ({ reason, resource: 'arn' })) },
    }) as const;

  /** Acquires while the first write is throttled, and says over how many items the bucket is spread then. */
  async function itemsAfter(options: Parameters<FaultyWorld['limiter']>[0], fault: ReturnType<typeof throttled>): Promise<number> {
    const entity = world.freshName();
    const limiter = await world.limiter(options);
    const writes: string[] = [];
    let left = 1;
    world.proxy.spoil(({ operation, body }) => {
      if (operation !== 'UpdateItem') return undefined;
      writes.push(body);
      left -= 1;
      return left >= 0 ? fault : undefined;
    });

    await limiter.acquire(entity, 'api', { rpm: 1 }, { limits });
    await limiter.close();
    const [write] = writes;
    if (write === undefined) throw new Error('nothing was written');
    const { Key } = JSON.parse(write) as { Key: { PK: { S: string } } };
    const [namespaceId = ''] = Key.PK.S.split('/');
    const { TableName, ...get } = bucketReadRequest(world.table.table, bucketOf(entity, 'api', namespaceId));
    const { Item } = await world.table.client.send(new GetItemCommand({ TableName, ...get } as never));
    return shardCount(layoutOf(bucketFromItem(Item as WireItem)));
  }

  it.each<TransportName>(['lean', 'sdk'])('is spread over two items, at once (%s)', async (transport) => {
    expect(await itemsAfter({ transport }, throttled('TableWriteKeyRangeThroughputExceeded'))).toBe(2);
  });

  it.each<TransportName>(['lean', 'sdk'])('is not, where the table is what carries no more (%s)', async (transport) => {
    expect(await itemsAfter({ transport }, throttled('TableWriteProvisionedThroughputExceeded'))).toBe(1);
  });

  it('is not, where it may have one item only', async () => {
    expect(await itemsAfter({ maxShards: 1 }, throttled('TableWriteKeyRangeThroughputExceeded'))).toBe(1);
  });
});
