import type { ConfigLevel, Limit } from '@millrace/core';
import type { RateLimiter } from '@millrace/limiter';
import { administrationOf } from '@millrace/limiter/admin';
import { Engine } from '@millrace/limiter/engine';
import { FakeRuntime } from '@millrace/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../src/dynamo/client.js';
import { SdkTransport } from '../src/dynamo/sdk-transport.js';
import { Sender } from '../src/dynamo/sender.js';
import { DynamoStore } from '../src/wire/dynamo-store.js';
import { type OpenTable, openTable } from './open-table.js';
import { bucketOf, Spreader } from './spread-world.js';
import { STATES, TRANSITIONS, type Transition, Witness } from './transition-world.js';

const TTL_MS = 60_000;

/** Over how many items the bucket is spread. */
const ITEMS = [1, 2, 4] as const;
const CASES = Object.entries(TRANSITIONS).flatMap(([name, transition]) =>
  STATES.flatMap((state) => ITEMS.map((items) => ({ name, transition, state, items }))),
);

describe('a live bucket obeys', () => {
  const runtime = new FakeRuntime();
  let opened: OpenTable;
  let admin: RateLimiter;
  let connection: Awaited<ReturnType<typeof connect>>;
  let cases = 0;

  beforeAll(async () => {
    opened = await openTable();
    admin = await opened.open({ clock: runtime.clock });
    connection = await connect(opened.connection, opened.table);
  });

  afterAll(async () => {
    connection?.close();
    await opened?.close();
  });

  const store = () => new DynamoStore(new SdkTransport(new Sender(connection.client, opened.table, 5_000, () => undefined)), opened.table);

  /** One more process. */
  function open(): Engine {
    const { clock, sleep, random } = runtime;
    const { namespaceId } = administrationOf(admin);
    const times = { deadlineMs: 10_000, configTtlMs: TTL_MS, maxEntries: 1_000 };
    const sharding = { maxShards: 1, settleMs: Number.POSITIVE_INFINITY };
    return new Engine({ store: store(), namespaceId, clock, sleep, random, sharding, ...times });
  }

  /** Spreads a bucket of limits of which all tokens are there. */
  async function spread(engine: Engine, entity: string, resource: string, limits: readonly Limit[], items: number): Promise<void> {
    if (items === 1) return;
    const { namespaceId } = administrationOf(admin);
    const lease = await engine.acquire(entity, resource, Object.fromEntries(limits.map(({ name }) => [name, 1])));
    await lease.release();
    await new Spreader(store(), runtime).spreadTo(items, bucketOf(entity, resource, namespaceId), limits);
  }

  /** Stores the limits from before, and gives what stores those after. */
  async function prepare({ before, after, deletesLevel }: Transition, entity: string, resource: string): Promise<() => Promise<unknown>> {
    const own: ConfigLevel = { level: 'entity', entity, resource };
    if (deletesLevel === true) await admin.limits.set({ level: 'resource', resource }, after);
    await admin.limits.set(own, before);
    return () => (deletesLevel === true ? admin.limits.delete(own) : admin.limits.set(own, after));
  }

  it.each(CASES)('$name, while $state, over $items items', async ({ transition, state, items }) => {
    cases += 1;
    const { before, after } = transition;
    const [entity, resource] = [`key-${cases}`, `model-${cases}`];
    const change = await prepare(transition, entity, resource);
    const [old, young] = [open(), open()];
    const witness = new Witness(runtime, entity, resource);
    const all = [...before, ...after];

    // The old process remembers the limits from before, whatever the state.
    await old.explain(entity, resource);
    await spread(old, entity, resource, before, items);
    await witness.use(old, before, state);
    runtime.advance(5);
    await change();

    // Both at once: one that has not heard of the change, and one that has.
    for (let step = 0; step < 5; step += 1) {
      await witness.takeAll(old, before);
      await witness.takeAll(young, after);
      await witness.takeAll(old, before);
      witness.check(after, all);
      runtime.advance(1_000);
    }

    // From the end of the cache's time on only the new limits count, for both.
    runtime.advance(TTL_MS);
    await witness.takeAll(old, after);
    witness.check(after, all);
    witness.restart();
    for (let step = 0; step < 3; step += 1) {
      runtime.advance(2_000);
      await witness.takeAll(old, after);
      await witness.takeAll(young, after);
      witness.check(after, after);
    }

    // And they are there in full, once all that is missing has come back: no more than four times what was ever held.
    const mostTokens = 4 * Math.max(...all.map(({ capacity }) => capacity));
    runtime.advance(Math.max(...after.map(({ refill, periodMs }) => (mostTokens / refill) * periodMs)));
    expect(await witness.take(young, Object.fromEntries(after.map(({ name, capacity }) => [name, capacity])))).toBe(true);
    await expect(young.acquire(entity, resource, { nobody: 1 })).rejects.toMatchObject({ code: 'VALIDATION' });
  });
});
