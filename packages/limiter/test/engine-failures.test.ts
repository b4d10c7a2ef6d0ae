import { type BucketWrite, Limit, StoreFailure } from '@millrace/core';
import { LeaseSettled, RateLimiterUnavailable } from '@millrace/limiter';
import type { Engine } from '@millrace/limiter/engine';
import { beforeEach, describe, expect, it } from 'vitest';
import { EngineWorld, LIMITS as limits, refOf } from './engine-world.js';

const lost = new StoreFailure('timeout', 'unknown', 'no reply');
const throttled = new StoreFailure('throttled', 'no', 'too fast');
const of = (entity: string) => (write: BucketWrite) => write.ref.entity === entity;

let world: EngineWorld;
let runtime: EngineWorld['runtime'];
let store: EngineWorld['store'];
let engine: Engine;

beforeEach(async () => {
  world = await EngineWorld.create();
  ({ runtime, store } = world);
  engine = world.open();
});

describe('when the store gives no answer', () => {
  it('an acquire says so, and what other levels took is given back once', async () => {
    store.mishapOf = (write) => (of('project')(write) ? { when: 'after', failure: lost } : undefined);

    await expect(engine.acquire('key', 'model', { rpm: 1 }, { limits })).rejects.toThrow(RateLimiterUnavailable);

    // What the silent level did is not known: it keeps what it may have taken, which is no more than once.
    expect(world.nets('rpm')).toEqual([0, 1, 0]);
    const asked = store.writes.filter(of('project'));
    expect(asked.length).toBeGreaterThan(1);
    expect(new Set(asked.map(({ request }) => request?.id)).size).toBe(1);
    expect(asked.every(({ moves }) => moves.every(({ form }) => form === 'busy' || form === 'idle'))).toBe(true);
  });

  it('a debit that certainly changed nothing is sent again', async () => {
    let left = 2;
    store.mishapOf = () => (left-- > 0 ? { when: 'before', failure: throttled } : undefined);

    await engine.acquire('lone', 'model', { rpm: 1 }, { limits });

    expect(store.writes).toHaveLength(3);
    expect(engine.stats.snapshot()).toMatchObject({ retries: 2, lostReplies: 0, recoveredReplies: 0 });
  });

  it('a debit that is sent again says what time it is then, so that it admits nothing of the wait twice', async () => {
    let left = 1;
    store.mishapOf = () => (left-- > 0 ? { when: 'before', failure: throttled } : undefined);
    await engine.acquire('lone', 'model', { rpm: 10 }, { limits });

    const [first, second] = store.writes.map(({ nowUs }) => nowUs);
    expect(second).toBeGreaterThan(first ?? 0);
    expect(second).toBe(Math.floor(runtime.clock.nowMs() * 1000));
  });

  it('a credit whose reply is lost is never sent again, and a second release is refused', async () => {
    const lease = await engine.acquire('lone', 'model', { rpm: 3 }, { limits });
    store.mishapOf = () => ({ when: 'after', failure: lost });

    await expect(lease.release()).rejects.toThrow(RateLimiterUnavailable);
    await expect(lease.release()).rejects.toThrow(LeaseSettled);

    expect(store.net(refOf('lone'), 'rpm')).toBe(0);
    expect(engine.stats.snapshot()).toMatchObject({ lostReplies: 1 });
  });

  it('allow gives a lease that says it is degraded, keeps what was taken, and never throws', async () => {
    store.mishapOf = (write) => (of('org')(write) ? { when: 'before', failure: lost } : undefined);

    const lease = await engine.acquire('key', 'model', { rpm: 1 }, { limits, onUnavailable: 'allow' });
    await lease.adjust({ rpm: 1 });

    expect(lease.degraded).toBe(true);
    expect(world.nets('rpm')).toEqual([2, 2, 0]);
    await lease.release();
    expect(world.nets('rpm')).toEqual([0, 0, 0]);
    expect(engine.stats.snapshot()).toMatchObject({ admitted: 1, degraded: 1 });
  });
});

describe('a bucket that changes its form before every write', () => {
  it('is taken from in the end, and gives back no more than the tokens are worth', async () => {
    const burst = [Limit.perSecond('fast', 1_000, { capacity: 1_000 })];
    const ref = refOf('flapping');
    const nudge = (byUs: number): void => {
      const nowUs = runtime.clock.nowMs() * 1000;
      const tatUs = store.bucket(ref)?.limits.get('fast')?.tatUs ?? nowUs;
      const wanted = nowUs + byUs - tatUs;
      const move = { limit: 'fast', tokens: 1, chargeUs: Math.abs(wanted) };
      const moves = [wanted > 0 ? ({ form: 'busy', fromUs: 0, ...move } as const) : ({ form: 'credit', ...move } as const)];
      store.apply({ ref, nowUs, ttlSec: 2_000_000_000, moves });
    };
    await engine.acquire('flapping', 'model', { fast: 1 }, { limits: burst });
    // Ahead of now when the write takes it for full, far behind when the write takes it for busy.
    store.onWrite = ({ moves }) => nudge(moves[0]?.form === 'idle' ? 5_000 : -90_000);

    const lease = await engine.acquire('flapping', 'model', { fast: 1 }, { limits: burst });
    store.onWrite = () => undefined;
    const { tatUs: takenUs = 0 } = store.bucket(ref)?.limits.get('fast') ?? {};
    await lease.release();

    expect(engine.stats.snapshot().branchMisses).toBeGreaterThanOrEqual(3);
    expect(takenUs - (store.bucket(ref)?.limits.get('fast')?.tatUs ?? 0)).toBe(1_000);
  });
});
