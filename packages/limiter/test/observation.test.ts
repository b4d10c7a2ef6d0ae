import { StoreFailure } from '@millrace/core';
import type { Decision, DecisionObserver, Engine } from '@millrace/limiter/engine';
import { beforeEach, describe, expect, it } from 'vitest';
import { ConfigWorld, RESOURCE, rpm } from './config-world.js';

let world: ConfigWorld;
let engine: Engine;
let seen: [entity: string, decision: Decision, tookMs: number][];

beforeEach(() => {
  world = new ConfigWorld();
  world.set({ level: 'system' }, { limits: [rpm(600, { capacity: 10 })] });
  engine = world.open();
  seen = [];
});

function watch(): () => void {
  const observer: DecisionObserver = {
    nowMs: () => world.runtime.clock.nowMs(),
    decided: ({ entity }, decision, tookMs) => void seen.push([entity, decision, tookMs]),
  };
  return engine.stats.observation.watch(observer);
}

const ask = (tokens: number, options = {}) => engine.tryAcquire('key', RESOURCE, { rpm: tokens }, options);

describe('whoever watches an engine', () => {
  it('is told of each decision, and how long it took', async () => {
    watch();
    world.store.onWrite = () => world.runtime.advance(3);
    await ask(10);
    await ask(5);
    await ask(5);

    expect(seen).toEqual([
      ['key', 'admitted', 3],
      ['key', 'locally-rejected', 0],
      ['key', 'locally-rejected', 0],
    ]);
  });

  it('is told of a refusal that needed a request', async () => {
    await world.open().tryAcquire('key', RESOURCE, { rpm: 10 });
    watch();
    await ask(5);

    expect(seen.map(([, decision]) => decision)).toEqual(['rejected']);
  });

  it('is told of what a store that fails led to', async () => {
    watch();
    world.store.mishapOf = () => ({ when: 'before', failure: new StoreFailure('access-denied', 'no', 'no') });
    await ask(1).catch(() => undefined);
    world.store.mishapOf = () => ({ when: 'before', failure: new StoreFailure('network', 'no', 'gone') });
    await ask(1, { onUnavailable: 'allow' });

    expect(seen.map(([, decision]) => decision)).toEqual(['unavailable', 'degraded']);
  });

  it('is not told of the wait for a turn: it comes after the decision', async () => {
    watch();
    await ask(10);
    await ask(5, { waitMs: 60_000 });

    expect(engine.stats.snapshot().waits).toBe(1);
    expect(seen.map(([, decision, tookMs]) => [decision, tookMs])).toEqual([
      ['admitted', 0],
      ['admitted', 0],
    ]);
  });

  it('sees engines of other namespaces, too, and nothing once it has ended, or of what began before', async () => {
    const end = watch();
    await engine.scoped('other').tryAcquire('key', RESOURCE, { rpm: 1 }, { limits: [rpm(5)] });
    end();
    await ask(1);

    expect(seen).toHaveLength(1);
    const held: (() => void)[] = [];
    world.store.onWrite = () => new Promise((resolve) => held.push(resolve));
    const early = ask(1);
    while (held.length === 0) await new Promise(setImmediate);
    watch();
    held[0]?.();
    await early;
    expect(seen).toHaveLength(1);
  });
});
