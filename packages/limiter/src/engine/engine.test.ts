import { Limit } from '@millrace/core';
import { FakeRuntime, MemoryStore } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { Engine } from './engine.js';

function world() {
  const runtime = new FakeRuntime();
  const store = new MemoryStore();
  const engine = new Engine({
    store,
    namespaceId: 'ns',
    clock: runtime.clock,
    sleep: runtime.sleep,
    random: runtime.random,
    deadlineMs: 1_000,
    configTtlMs: 60_000,
    maxEntries: 100,
  });
  return { runtime, store, engine };
}

describe('smoke', () => {
  it('admits exactly the capacity of a small bucket', async () => {
    const { engine } = world();
    const limits = [Limit.perMinute('rpm', 10)];
    let admitted = 0;
    for (let i = 0; i < 20; i += 1) if ((await engine.tryAcquire('a', 'r', { rpm: 1 }, { limits })).allowed) admitted += 1;
    expect(admitted).toBe(10);
    expect(engine.stats.snapshot()).toMatchObject({ acquires: 20, admitted: 10, rejected: 10 });
  });
});
