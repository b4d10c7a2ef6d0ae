import { Limit, StoreFailure } from '@millrace/core';
import { RateLimiterUnavailable } from '@millrace/limiter';
import { type CommittedUse, Engine, type UseRecorder } from '@millrace/limiter/engine';
import { FailingStore, FakeRuntime } from '@millrace/testing';
import { describe, expect, it } from 'vitest';

const limits = [Limit.perMinute('rpm', 10), Limit.perMinute('tpm', 1_000)];

/** Takes over what it is told, and fails when a test says so. */
class NotedUses implements UseRecorder {
  readonly uses: CommittedUse[] = [];
  before: () => Promise<void> | void = () => undefined;

  records(resource: string): boolean {
    return resource === 'billed';
  }

  async record(use: CommittedUse): Promise<void> {
    await this.before();
    this.uses.push(use);
  }
}

function openEngine() {
  const [{ clock, sleep, random }, store, recorder] = [new FakeRuntime(), new FailingStore(), new NotedUses()];
  const parts = { store, namespaceId: 'ns', clock, sleep, random, deadlineMs: 1_000, configTtlMs: 60_000, maxEntries: 100 };
  return { engine: new Engine({ ...parts, recorder }), store, recorder };
}

describe('a lease that is recorded', () => {
  it('hands over what it came to, with what was noted of it as it was when it was noted', async () => {
    const { engine, recorder } = openEngine();
    const meta = { step: 'first', tags: ['a'] };
    const lease = await engine.acquire('key', 'billed', { rpm: 2, tpm: 100 }, { limits, meta, idempotencyKey: 'job' });
    meta.tags.push('b');
    await lease.adjust({ rpm: -2, tpm: 20 });
    lease.annotate({ step: 'second', cost: 0.5 });
    await lease.commit();

    expect(recorder.uses).toEqual([
      {
        namespaceId: 'ns',
        entity: 'key',
        resource: 'billed',
        amounts: { rpm: 0, tpm: 120 },
        degraded: false,
        meta: { step: 'second', tags: ['a'], cost: 0.5 },
        idempotencyKey: 'job',
      },
    ]);
    expect(() => lease.annotate({})).toThrow('committed');
  });

  it('is as it was when it cannot be handed over: it may be committed again, or released', async () => {
    const { engine, store, recorder } = openEngine();
    const ref = { namespaceId: 'ns', entity: 'key', resource: 'billed', shard: 0 };
    const take = () => engine.acquire('key', 'billed', { rpm: 1 }, { limits });
    const [again, back] = [await take(), await take()];
    recorder.before = () => {
      throw new RateLimiterUnavailable('no room', { cause: undefined });
    };
    await expect(again.commit()).rejects.toThrow('no room');
    await expect(back.commit()).rejects.toThrow('no room');
    await expect(engine.withLease('key', 'billed', { rpm: 1 }, () => 'done', { limits })).rejects.toThrow('no room');
    expect([again.settled, recorder.uses, store.net(ref, 'rpm')]).toEqual([false, [], 3]);

    recorder.before = () => undefined;
    await again.commit();
    await back.release();
    expect([again.settled, recorder.uses.length, store.net(ref, 'rpm')]).toEqual([true, 1, 2]);
    await expect(again.commit()).rejects.toMatchObject({ code: 'LEASE_SETTLED' });
  });

  it('says that it is on no books where the store could not be reached and the caller went on', async () => {
    const { engine, store, recorder } = openEngine();
    store.mishapOf = () => ({ when: 'before', failure: new StoreFailure('network', 'no', 'unreachable') });

    const lease = await engine.acquire('key', 'billed', { rpm: 1 }, { limits, onUnavailable: 'allow' });
    await lease.commit();

    expect(recorder.uses).toMatchObject([{ amounts: { rpm: 1 }, degraded: true }]);
  });

  it('is waited for by who closes, and one on another resource is not recorded', async () => {
    const { engine, recorder } = openEngine();
    let letGo: () => void = () => undefined;
    recorder.before = () => new Promise((resolve) => (letGo = resolve));
    const [lease, free] = [
      await engine.acquire('key', 'billed', { rpm: 1 }, { limits }),
      await engine.acquire('key', 'free', { rpm: 1 }, { limits }),
    ];
    await free.commit();
    let isClosed = false;
    const committing = lease.commit();
    await Promise.resolve();
    const closing = engine.close().then(() => {
      isClosed = true;
    });
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
    expect([isClosed, recorder.uses]).toEqual([false, []]);
    letGo();
    await Promise.all([committing, closing]);

    expect(recorder.uses).toMatchObject([{ resource: 'billed' }]);
  });
});
