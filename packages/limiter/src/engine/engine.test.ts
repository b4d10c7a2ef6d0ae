import { type BucketWrite, Limit, newEntity, StoreFailure } from '@millrace/core';
import { FailingStore, FakeRuntime } from '@millrace/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { Engine } from './engine.js';
import { AcquireAborted, LeaseSettled, LimiterClosed, RateLimitExceeded, RateLimiterUnavailable } from './errors.js';

const limits = [Limit.perMinute('rpm', 10), Limit.perMinute('tpm', 1_000)];
const lost = new StoreFailure('timeout', 'unknown', 'no reply');
const throttled = new StoreFailure('throttled', 'no', 'too fast');
const refOf = (entity: string) => ({ namespaceId: 'ns', entity, resource: 'model', shard: 0 });

let runtime: FakeRuntime;
let store: FailingStore;
let engine: Engine;

beforeEach(async () => {
  runtime = new FakeRuntime();
  store = new FailingStore();
  engine = open();
  const nowMs = runtime.clock.nowMs();
  const org = newEntity('org', undefined, false, undefined, nowMs);
  const project = newEntity('project', org, true, undefined, nowMs);
  const key = newEntity('key', project, true, undefined, nowMs);
  for (const entity of [org, project, key]) await store.createEntity('ns', entity, undefined);
});

function open(): Engine {
  const { clock, sleep, random } = runtime;
  return new Engine({ store, namespaceId: 'ns', clock, sleep, random, deadlineMs: 1_000, configTtlMs: 60_000, maxEntries: 100 });
}

const nets = (limit: string) => ['key', 'project', 'org'].map((entity) => store.net(refOf(entity), limit));
const of = (entity: string) => (write: BucketWrite) => write.ref.entity === entity;

describe('an acquire', () => {
  it('admits exactly the capacity of a small bucket at once', async () => {
    const verdicts = [];
    for (let index = 0; index < 20; index += 1) verdicts.push(await engine.tryAcquire('lone', 'model', { rpm: 1 }, { limits }));

    expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(10);
    expect(engine.stats.snapshot()).toMatchObject({ acquires: 20, admitted: 10, rejected: 10 });
  });

  it('takes at every level, in one step', async () => {
    await engine.acquire('key', 'model', { rpm: 2, tpm: 30 }, { limits });

    expect(nets('rpm')).toEqual([2, 2, 2]);
    expect(nets('tpm')).toEqual([30, 30, 30]);
    expect(store.writes).toHaveLength(3);
  });

  it('takes from an ancestor only what that one limits', async () => {
    const limitsOf = (entity: string) => (entity === 'key' ? limits : entity === 'org' ? [limits[1] as Limit] : undefined);

    await engine.acquire('key', 'model', { rpm: 1, tpm: 5 }, { limits: limitsOf });

    expect(nets('rpm')).toEqual([1, 0, 0]);
    expect(nets('tpm')).toEqual([5, 0, 5]);
  });

  it('that one level refuses leaves nothing taken, and names every limit of every level', async () => {
    await engine.acquire('project', 'model', { rpm: 9 }, { limits });

    const refusal = await engine.acquire('key', 'model', { rpm: 2, tpm: 1 }, { limits }).catch((error: unknown) => error);

    expect(refusal).toBeInstanceOf(RateLimitExceeded);
    const { statuses, violations, retryAfterMs } = refusal as RateLimitExceeded;
    expect(statuses).toHaveLength(6);
    expect(violations).toMatchObject([
      { entity: 'project', limit: 'rpm', available: 1, requested: 2 },
      { entity: 'org', limit: 'rpm', available: 1, requested: 2 },
    ]);
    expect(statuses.filter(({ entity }) => entity === 'key')).toMatchObject([{ available: 10 }, { available: 1_000 }]);
    expect(retryAfterMs).toBe(6_000);
    expect(nets('rpm')).toEqual([0, 9, 9]);
    expect(nets('tpm')).toEqual([0, 0, 0]);
  });

  it('is admitted after exactly the time that its refusal named', async () => {
    await engine.acquire('lone', 'model', { rpm: 10 }, { limits });
    const verdict = await engine.tryAcquire('lone', 'model', { rpm: 3 }, { limits });
    if (verdict.allowed) throw new Error('the bucket is empty');

    runtime.advance(verdict.retryAfterMs - 1);
    expect((await engine.tryAcquire('lone', 'model', { rpm: 3 }, { limits })).allowed).toBe(false);
    runtime.advance(1);
    expect((await engine.tryAcquire('lone', 'model', { rpm: 3 }, { limits })).allowed).toBe(true);
  });

  it('reads an unknown entity once, however many ask at the same time', async () => {
    await Promise.all(Array.from({ length: 8 }, () => engine.tryAcquire('key', 'model', { rpm: 1 }, { limits })));

    expect(store.entityReads).toBe(1);
  });
});

describe('a lease', () => {
  it('settles once', async () => {
    const lease = await engine.acquire('key', 'model', { rpm: 1 }, { limits });
    await lease.commit();

    await expect(lease.release()).rejects.toThrow(LeaseSettled);
    await expect(lease.adjust({ rpm: 1 })).rejects.toThrow('cannot adjust a lease that was committed');
    expect(nets('rpm')).toEqual([1, 1, 1]);
  });

  it('gives everything back when the work throws, and passes on what it threw', async () => {
    const thrown = new Error('the model is down');

    const work = engine.withLease('key', 'model', { rpm: 1, tpm: 100 }, () => Promise.reject(thrown), { limits });

    await expect(work).rejects.toBe(thrown);
    expect([nets('rpm'), nets('tpm')]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });

  it('goes into debt by an adjust, which nothing refuses', async () => {
    const lease = await engine.acquire('key', 'model', { rpm: 1, tpm: 100 }, { limits });

    await lease.adjust({ tpm: 2_400 });

    expect(lease.consumed).toEqual({ rpm: 1, tpm: 2_500 });
    // 1,500 beyond the capacity, and the reserve of 2 % that a busy bucket keeps back (less a token that it may give).
    expect(lease.remaining['tpm']).toBe(-1_520);
    const waitMs = await engine.timeUntilAvailable('key', 'model', { tpm: 1 }, { limits });
    runtime.advance(waitMs - 1);
    expect((await engine.tryAcquire('key', 'model', { tpm: 1 }, { limits })).allowed).toBe(false);
    runtime.advance(1);
    expect((await engine.tryAcquire('key', 'model', { tpm: 1 }, { limits })).allowed).toBe(true);
  });

  it('may settle on a limit that the acquire did not ask of', async () => {
    const lease = await engine.acquire('key', 'model', { rpm: 1 }, { limits });

    await lease.adjust({ tpm: 70 });
    await lease.release();

    expect([nets('rpm'), nets('tpm')]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });

  it('released while an adjust runs gives back what that took, too', async () => {
    const lease = await engine.acquire('key', 'model', { tpm: 100 }, { limits });

    await Promise.all([lease.adjust({ tpm: 50 }), lease.release()]);

    expect(nets('tpm')).toEqual([0, 0, 0]);
  });

  it('whose bucket has expired meanwhile counts what it gives back, and mints nothing', async () => {
    const lease = await engine.acquire('lone', 'model', { rpm: 4 }, { limits });
    store.expire(refOf('lone'));

    await lease.release();

    expect(store.net(refOf('lone'), 'rpm')).toBe(-4);
    expect(await engine.available('lone', 'model', { limits })).toEqual({ rpm: 10, tpm: 1_000 });
  });
});

describe('when the store gives no answer', () => {
  it('an acquire says so, and what other levels took is given back once', async () => {
    store.mishapOf = (write) => (of('project')(write) ? { when: 'after', failure: lost } : undefined);

    await expect(engine.acquire('key', 'model', { rpm: 1 }, { limits })).rejects.toThrow(RateLimiterUnavailable);

    // What the silent level did is not known: it keeps what it may have taken, and is not asked again.
    expect(nets('rpm')).toEqual([0, 1, 0]);
    expect(store.writes.filter(of('project'))).toHaveLength(1);
  });

  it('a debit is sent again only if it certainly changed nothing', async () => {
    let left = 2;
    store.mishapOf = () => (left-- > 0 ? { when: 'before', failure: throttled } : undefined);

    await engine.acquire('lone', 'model', { rpm: 1 }, { limits });

    expect(store.writes).toHaveLength(3);
    expect(engine.stats.snapshot()).toMatchObject({ retries: 2, lostReplies: 0 });
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
    expect(nets('rpm')).toEqual([2, 2, 0]);
    await lease.release();
    expect(nets('rpm')).toEqual([0, 0, 0]);
    expect(engine.stats.snapshot()).toMatchObject({ admitted: 1, degraded: 1 });
  });
});

describe('an aborted acquire', () => {
  it('ends at once, and gives back what was on its way', async () => {
    const controller = new AbortController();
    store.onWrite = () => controller.abort(new Error('the caller has left'));

    await expect(engine.acquire('key', 'model', { rpm: 1 }, { limits, signal: controller.signal })).rejects.toThrow(AcquireAborted);
    await engine.close();

    expect(nets('rpm')).toEqual([0, 0, 0]);
  });

  it('that was aborted before it began sends nothing', async () => {
    await expect(engine.acquire('key', 'model', { rpm: 1 }, { limits, signal: AbortSignal.abort() })).rejects.toThrow(AcquireAborted);

    expect(store.writes).toHaveLength(0);
  });
});

describe('an entity that seems not to exist', () => {
  it('is read again soon the first time, as the read may have been a moment too early, and then seldom', async () => {
    const readsAfter = async (ms: number): Promise<number> => {
      runtime.advance(ms);
      const before = store.entityReads;
      await engine.tryAcquire('nobody', 'model', { rpm: 1 }, { limits });
      return store.entityReads - before;
    };

    expect([await readsAfter(0), await readsAfter(1_999), await readsAfter(1), await readsAfter(59_999), await readsAfter(1)]).toEqual([
      1, 0, 1, 0, 1,
    ]);
  });
});

describe('a lineage that changes', () => {
  it('is obeyed as soon as anybody who knows it has written the bucket', async () => {
    const other = open();
    await engine.acquire('late', 'model', { rpm: 1 }, { limits });
    const org = await store.findEntity('ns', 'org');
    await store.createEntity('ns', newEntity('late', org, true, undefined, runtime.clock.nowMs() + 1), undefined);

    await other.acquire('late', 'model', { rpm: 1 }, { limits });
    await engine.acquire('late', 'model', { rpm: 1 }, { limits });

    expect(store.net(refOf('org'), 'rpm')).toBe(2);
    expect(engine.stats.snapshot()).toMatchObject({ staleConfigurations: 1 });
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

describe('a closed engine', () => {
  it('refuses what is new', async () => {
    const lease = await engine.acquire('key', 'model', { rpm: 1 }, { limits });
    await engine.close();

    await expect(engine.acquire('key', 'model', { rpm: 1 }, { limits })).rejects.toThrow(LimiterClosed);
    await expect(engine.available('key', 'model', { limits })).rejects.toThrow(LimiterClosed);
    await expect(lease.adjust({ rpm: 1 })).rejects.toThrow('the limiter is closed');
  });
});
