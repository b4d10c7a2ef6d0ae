import { type Limit, newEntity } from '@millrace/core';
import { AcquireAborted, LeaseSettled, LimiterClosed, RateLimitExceeded } from '@millrace/limiter';
import type { Engine } from '@millrace/limiter/engine';
import { beforeEach, describe, expect, it } from 'vitest';
import { EngineWorld, LIMITS as limits, refOf } from './engine-world.js';

let world: EngineWorld;
let runtime: EngineWorld['runtime'];
let store: EngineWorld['store'];
let engine: Engine;

beforeEach(async () => {
  world = await EngineWorld.create();
  ({ runtime, store } = world);
  engine = world.open();
});

describe('an acquire', () => {
  it('admits exactly the capacity of a small bucket at once', async () => {
    const verdicts = [];
    for (let index = 0; index < 20; index += 1) verdicts.push(await engine.tryAcquire('lone', 'model', { rpm: 1 }, { limits }));

    expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(10);
    expect(engine.stats.snapshot()).toMatchObject({ acquires: 20, admitted: 10, rejected: 10 });
  });

  it('takes at every level, in one step', async () => {
    await engine.acquire('key', 'model', { rpm: 2, tpm: 30 }, { limits });

    expect(world.nets('rpm')).toEqual([2, 2, 2]);
    expect(world.nets('tpm')).toEqual([30, 30, 30]);
    expect(store.writes).toHaveLength(3);
  });

  it('takes from an ancestor only what that one limits', async () => {
    const limitsOf = (entity: string) => (entity === 'key' ? limits : entity === 'org' ? [limits[1] as Limit] : undefined);

    await engine.acquire('key', 'model', { rpm: 1, tpm: 5 }, { limits: limitsOf });

    expect(world.nets('rpm')).toEqual([1, 0, 0]);
    expect(world.nets('tpm')).toEqual([5, 0, 5]);
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
    expect(world.nets('rpm')).toEqual([0, 9, 9]);
    expect(world.nets('tpm')).toEqual([0, 0, 0]);
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

  it('reads what it does not know once, and the ancestors once more, however many ask at the same time', async () => {
    await Promise.all(Array.from({ length: 8 }, () => engine.tryAcquire('key', 'model', { rpm: 1 }, { limits })));

    expect(store.configReads).toBe(2);
  });
});

describe('a lease', () => {
  it('settles once', async () => {
    const lease = await engine.acquire('key', 'model', { rpm: 1 }, { limits });
    await lease.commit();

    await expect(lease.release()).rejects.toThrow(LeaseSettled);
    await expect(lease.adjust({ rpm: 1 })).rejects.toThrow('cannot adjust a lease that was committed');
    expect(world.nets('rpm')).toEqual([1, 1, 1]);
  });

  it('gives everything back when the work throws, and passes on what it threw', async () => {
    const thrown = new Error('the model is down');

    const work = engine.withLease('key', 'model', { rpm: 1, tpm: 100 }, () => Promise.reject(thrown), { limits });

    await expect(work).rejects.toBe(thrown);
    expect([world.nets('rpm'), world.nets('tpm')]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });

  it('goes into debt by an adjust, which nothing refuses', async () => {
    const lease = await engine.acquire('key', 'model', { rpm: 1, tpm: 100 }, { limits });

    await lease.adjust({ tpm: 2_400 });

    expect(lease.consumed).toEqual({ rpm: 1, tpm: 2_500 });
    // 1,500 beyond the capacity; the reserve that a busy bucket keeps back is owed by nobody.
    expect(lease.remaining['tpm']).toBe(-1_500);
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

    expect([world.nets('rpm'), world.nets('tpm')]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });

  it('released while an adjust runs gives back what that took, too', async () => {
    const lease = await engine.acquire('key', 'model', { tpm: 100 }, { limits });

    await Promise.all([lease.adjust({ tpm: 50 }), lease.release()]);

    expect(world.nets('tpm')).toEqual([0, 0, 0]);
  });

  it('whose bucket has expired meanwhile counts what it gives back, and mints nothing', async () => {
    const lease = await engine.acquire('lone', 'model', { rpm: 4 }, { limits });
    store.expire(refOf('lone'));

    await lease.release();

    expect(store.net(refOf('lone'), 'rpm')).toBe(-4);
    expect(await engine.available('lone', 'model', { limits })).toEqual({ rpm: 10, tpm: 1_000 });
  });
});

describe('an aborted acquire', () => {
  it('ends at once, and gives back what was on its way', async () => {
    const controller = new AbortController();
    store.onWrite = () => controller.abort(new Error('the caller has left'));

    await expect(engine.acquire('key', 'model', { rpm: 1 }, { limits, signal: controller.signal })).rejects.toThrow(AcquireAborted);
    await engine.close();

    expect(world.nets('rpm')).toEqual([0, 0, 0]);
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
      const before = store.configReads;
      await engine.tryAcquire('nobody', 'model', { rpm: 1 }, { limits });
      return store.configReads - before;
    };

    expect([await readsAfter(0), await readsAfter(1_999), await readsAfter(1), await readsAfter(30_000), await readsAfter(60_000)]).toEqual(
      [1, 0, 1, 0, 1],
    );
  });
});

describe('a lineage that changes', () => {
  it('is obeyed as soon as anybody who knows it has written the bucket', async () => {
    const other = world.open();
    await engine.acquire('late', 'model', { rpm: 1 }, { limits });
    const [org] = await store.readConfig('ns', [{ level: 'lineage', entity: 'org' }]);
    const entity = newEntity('late', org?.entity, true, undefined, runtime.clock.nowMs() + 1);
    store.setConfig('ns', { level: 'lineage', entity: 'late' }, { entity });

    await other.acquire('late', 'model', { rpm: 1 }, { limits });
    await engine.acquire('late', 'model', { rpm: 1 }, { limits });

    expect(store.net(refOf('org'), 'rpm')).toBe(2);
    expect(engine.stats.snapshot()).toMatchObject({ staleConfigurations: 1 });
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
