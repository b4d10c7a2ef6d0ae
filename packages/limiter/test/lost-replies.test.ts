import { type BucketWrite, StoreFailure } from '@millrace/core';
import { RateLimiterUnavailable } from '@millrace/limiter';
import type { Engine } from '@millrace/limiter/engine';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { EngineWorld, LIMITS as limits, refOf } from './engine-world.js';
import { perMinute, ScaleWorld } from './scale-world.js';

const lost = new StoreFailure('timeout', 'unknown', 'no reply');
const ref = refOf('lone');
const tatUsOf = (store: EngineWorld['store']) => store.bucket(ref)?.limits.get('rpm')?.tatUs ?? 0;

let world: EngineWorld;
let store: EngineWorld['store'];
let engine: Engine;

beforeEach(async () => {
  world = await EngineWorld.create();
  ({ store } = world);
  engine = world.open();
});

/** Loses the first writes of that number: the requests, or only the replies. Before the next one arrives, `then` happens. */
function lose(when: 'before' | 'after', times = 1, then: (lostWrite: BucketWrite) => unknown = () => undefined): void {
  let writes = 0;
  store.mishapOf = () => (writes++ < times ? { when, failure: lost } : undefined);
  store.onWrite = async () => {
    if (writes === times) await then(store.writes[0] as BucketWrite);
  };
}

const acquire = (rpm: number) => engine.acquire('lone', 'model', { rpm }, { limits });

/** What another writer of the same slot does. */
function takeInSlot({ request, ...write }: BucketWrite): void {
  const move = { form: 'busy', limit: 'rpm', tokens: 1, chargeUs: 6_000_000, fromUs: 0 } as const;
  const other = { ...write, request: { slot: request?.slot ?? 0, id: 7 }, moves: [move] };
  expect(store.apply(other).kind).toBe('written');
}

describe('a debit whose reply is lost', () => {
  it('is recognised when it is sent again, and the lease says what others have taken since', async () => {
    lose('after', 1, (write) => void store.apply({ ...write, request: { slot: 9, id: 1 }, moves: oneMore }));

    const lease = await acquire(3);

    expect(lease.remaining).toEqual({ rpm: 6 });
    expect(store.net(ref, 'rpm')).toBe(4);
    expect(engine.stats.snapshot()).toMatchObject({ recoveredReplies: 1, retries: 1, refusedWrites: 1, lostReplies: 0 });
  });

  it('is taken by the retry when the request itself was lost, and then refused when it arrives late', async () => {
    lose('before');
    await acquire(3);

    const late = store.apply(store.writes[0] as BucketWrite);

    expect(late.kind).toBe('refused');
    expect(store.net(ref, 'rpm')).toBe(3);
    expect(engine.stats.snapshot()).toMatchObject({ recoveredReplies: 0, retries: 1 });
  });

  it('is recognised when the first copy arrives late, just before the retry', async () => {
    lose('before', 1, (write) => void store.apply(write));

    await acquire(3);

    expect(store.net(ref, 'rpm')).toBe(3);
    expect(engine.stats.snapshot()).toMatchObject({ recoveredReplies: 1 });
  });

  it('counts twice once another writer has used its slot, and gives back no more than it was given', async () => {
    lose('after', 1, takeInSlot);

    const lease = await acquire(3);
    expect(store.net(ref, 'rpm')).toBe(3 + 1 + 3);
    const takenUs = tatUsOf(store);
    store.mishapOf = () => undefined;
    await lease.release();

    expect(store.net(ref, 'rpm')).toBe(3 + 1);
    expect(takenUs - tatUsOf(store)).toBe(3 * 6_000_000);
  });

  it('is not forgotten over what this process itself sends to the bucket meanwhile', async () => {
    const lease = await acquire(1);
    store.writes.length = 0;
    lose('after', 1, async () => {
      store.onWrite = () => undefined;
      store.mishapOf = () => undefined;
      await lease.adjust({ rpm: 1 });
    });

    await acquire(3);

    expect(store.net(ref, 'rpm')).toBe(1 + 3 + 1);
    expect(new Set(store.writes.map(({ request }) => request?.slot)).size).toBe(2);
  });

  it('is recognised also where the reply to what made ready for it was lost, too', async () => {
    const scales = new ScaleWorld();
    const [fast, slow] = [perMinute(1_000), perMinute(100)];
    await scales.open().take(fast, 500, 1);
    const losing = new Set<string>(['rescale', 'busy']);
    scales.store.mishapOf = ({ moves }) => (losing.delete(moves[0]?.form ?? '') ? { when: 'after', failure: lost } : undefined);
    const process = scales.open();

    expect(await process.take(slow, 1, 2)).toMatchObject({ kind: 'taken', charges: [{ tokens: 1 }] });

    expect(losing.size).toBe(0);
    expect(scales.available(slow)).toBe(499);
    expect(process.stats.snapshot()).toMatchObject({ recoveredReplies: 1 });
  });

  it('is never sent again after the deadline of its call', async () => {
    const startMs = world.runtime.clock.nowMs();
    lose('after', Number.POSITIVE_INFINITY);
    const sentMs: number[] = [];
    store.onWrite = () => {
      sentMs.push(world.runtime.clock.nowMs() - startMs);
      world.runtime.advance(300);
    };

    await expect(acquire(3)).rejects.toThrow(RateLimiterUnavailable);

    expect(sentMs.length).toBeGreaterThan(1);
    expect(Math.max(...sentMs)).toBeLessThanOrEqual(1_000);
    expect(store.net(ref, 'rpm')).toBe(3);
    expect(engine.stats.snapshot()).toMatchObject({ lostReplies: 1, recoveredReplies: 0 });
  });

  it('with onUnavailable allow gives a lease that holds nothing that is not known to be taken', async () => {
    lose('after', Number.POSITIVE_INFINITY);
    const lease = await engine.acquire('lone', 'model', { rpm: 3 }, { limits, onUnavailable: 'allow' });
    store.mishapOf = () => undefined;

    await lease.release();

    expect(lease.degraded).toBe(true);
    expect(store.net(ref, 'rpm')).toBe(3);
  });
});

const oneMore = [{ form: 'busy', limit: 'rpm', tokens: 1, chargeUs: 6_000_000, fromUs: 0 }] as const;

describe('a credit whose reply is lost', () => {
  it.each([
    { title: 'release', settle: { rpm: -3 } },
    { title: 'adjustment that gives back', settle: { rpm: -1 } },
    { title: 'adjustment that gives back of one limit and takes of another', settle: { rpm: -1, tpm: 5 } },
  ])('of a $title is sent once, without a name', async ({ settle }) => {
    const lease = await engine.acquire('lone', 'model', { rpm: 3, tpm: 1 }, { limits });
    store.writes.length = 0;
    lose('after', Number.POSITIVE_INFINITY);

    await expect(lease.adjust(settle)).rejects.toThrow(RateLimiterUnavailable);

    expect(store.writes.map(({ request }) => request)).toEqual([undefined]);
    expect(store.net(ref, 'rpm')).toBe(3 + settle.rpm);
  });
});

describe('whatever is lost', () => {
  const anyFate = fc.constantFrom('arrives', 'arrives', 'before', 'after');

  it('what callers hold is taken, and beyond it no more than the costs of those that heard nothing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyFate, { maxLength: 60 }),
        fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 8 }),
        async (fates, costs) => {
          const own = await EngineWorld.create();
          const process = own.open();
          own.store.mishapOf = () => {
            const fate = fates.shift() ?? 'arrives';
            return fate === 'arrives' ? undefined : { when: fate as 'before' | 'after', failure: lost };
          };
          let [held, unsure] = [0, 0];
          const settled = await Promise.allSettled(costs.map((rpm) => process.tryAcquire('lone', 'model', { rpm }, { limits })));
          for (const [index, result] of settled.entries()) {
            const cost = costs[index] ?? 0;
            if (result.status === 'rejected') unsure += cost;
            else if (result.value.allowed) held += cost;
          }
          expect(own.store.net(ref, 'rpm')).toBeGreaterThanOrEqual(held);
          expect(own.store.net(ref, 'rpm')).toBeLessThanOrEqual(held + unsure);
        },
      ),
      { numRuns: 500 },
    );
  });
});
