import { LimiterClosed } from '@millrace/limiter';
import type { Engine } from '@millrace/limiter/engine';
import { beforeEach, describe, expect, it } from 'vitest';
import { ConfigWorld, RESOURCE, rpm } from './config-world.js';
import { Sleepers, settled } from './sleepers.js';

let world: ConfigWorld;
let sleepers: Sleepers;
let engine: Engine;

/** A bucket of ten tokens, one of which comes back each second. */
beforeEach(() => {
  world = new ConfigWorld();
  world.set({ level: 'system' }, { limits: [rpm(60, { capacity: 10 })] });
  sleepers = new Sleepers((ms) => world.runtime.advance(ms));
  engine = world.open({ sleep: sleepers.sleep });
});

/** Acquires, and says when the lease was there. */
function timed(by: Engine, tokens: number, waitMs: number, served: string[], name: string): Promise<void> {
  const startMs = world.runtime.clock.nowMs();
  return by.acquire('key', RESOURCE, { rpm: tokens }, { waitMs }).then(
    () => void served.push(`${name} after ${world.runtime.clock.nowMs() - startMs}`),
    (error: { readonly code: string }) => void served.push(`${name}: ${error.code}`),
  );
}

describe('an acquire that may wait', () => {
  it('is served at once where the tokens are there', async () => {
    const served: string[] = [];
    await timed(engine, 10, 60_000, served, 'one');

    expect(served).toEqual(['one after 0']);
    expect(engine.stats.snapshot().waits).toBe(0);
  });

  it('gets its tokens as soon as they are there, for one write', async () => {
    const served: string[] = [];
    await engine.acquire('key', RESOURCE, { rpm: 10 });
    const before = world.store.writes.length;
    const waiting = timed(engine, 3, 60_000, served, 'one');

    await sleepers.pass(2_999);
    expect(served).toEqual([]);
    await sleepers.pass(1);
    await waiting;

    expect(served).toEqual(['one after 3000']);
    expect(world.store.writes).toHaveLength(before + 1);
    expect(world.net('key', 'rpm')).toBe(13);
  });

  it('is refused at once where the wait would be longer, and told how long', async () => {
    await engine.acquire('key', RESOURCE, { rpm: 10 });

    expect(await engine.tryAcquire('key', RESOURCE, { rpm: 3 }, { waitMs: 2_999 })).toMatchObject({ allowed: false, retryAfterMs: 3_000 });
    expect(world.net('key', 'rpm')).toBe(10);
  });

  it('is served in the order of reservation, over several processes, for one write each', async () => {
    const processes = [engine, world.open({ sleep: sleepers.sleep }), world.open({ sleep: sleepers.sleep })];
    await engine.acquire('key', RESOURCE, { rpm: 10 });
    for (const process of processes) await process.available('key', RESOURCE);
    const [served, names]: [string[], string[]] = [[], []];
    const before = world.store.writes.length;
    for (let index = 0; index < 150; index += 1) {
      names.push(`${index} after ${(index + 1) * 1_000}`);
      void timed(processes[index % 3] as Engine, 1, 600_000, served, String(index));
      await settled();
    }

    await sleepers.pass(150_000);

    expect(served).toEqual(names);
    expect((world.store.writes.length - before) / 150).toBeLessThanOrEqual(1.1);
  });

  it('goes with others that come at once, in one write, each in its turn', async () => {
    await engine.acquire('key', RESOURCE, { rpm: 10 });
    const served: string[] = [];
    const before = world.store.writes.length;
    for (const name of ['a', 'b', 'c']) void timed(engine, 2, 60_000, served, name);

    await sleepers.pass(6_000);

    expect(served).toEqual(['a after 2000', 'b after 4000', 'c after 6000']);
    expect(world.store.writes).toHaveLength(before + 1);
  });

  it('keeps those that do not wait from its tokens', async () => {
    await engine.acquire('key', RESOURCE, { rpm: 10 });
    void engine.acquire('key', RESOURCE, { rpm: 5 }, { waitMs: 60_000 });
    await sleepers.pass(4_000);

    expect(await engine.tryAcquire('key', RESOURCE, { rpm: 1 })).toMatchObject({ allowed: false, retryAfterMs: 2_000 });
  });

  it('waits for the slowest of its levels', async () => {
    world.place('project');
    world.place('child', 'project');
    world.set({ level: 'entity-default', entity: 'project' }, { limits: [rpm(30, { capacity: 10 })] });
    await engine.acquire('child', RESOURCE, { rpm: 10 });
    let at = 0;
    void engine.acquire('child', RESOURCE, { rpm: 2 }, { waitMs: 60_000 }).then(() => {
      at = world.runtime.clock.nowMs();
    });
    const startMs = world.runtime.clock.nowMs();

    await sleepers.pass(10_000);

    expect(at - startMs).toBe(4_000);
  });

  it('may ask for the whole capacity', async () => {
    const served: string[] = [];
    await engine.acquire('key', RESOURCE, { rpm: 4 });
    void timed(engine, 10, 60_000, served, 'all');

    await sleepers.pass(60_000);

    expect(served).toEqual(['all after 4000']);
  });

  it('takes a refusal where too many wait already', async () => {
    const crowded = world.open({ sleep: sleepers.sleep, maxWaiters: 2 });
    await crowded.acquire('key', RESOURCE, { rpm: 10 });
    const served: string[] = [];
    for (const name of ['a', 'b', 'c']) void timed(crowded, 1, 60_000, served, name);

    await sleepers.pass(5_000);
    void timed(crowded, 7, 60_000, served, 'd');
    await sleepers.pass(5_000);

    expect(served.sort()).toEqual(['a after 1000', 'b after 2000', 'c: RATE_LIMIT_EXCEEDED', 'd after 4000']);
  });

  it('waits longer than a timer of Node can', async () => {
    world.set({ level: 'system' }, { limits: [rpm(1, { capacity: 1, periodMs: 29 * 86_400_000 })] });
    const patient = world.open({ sleep: sleepers.sleep });
    await patient.acquire('key', RESOURCE, { rpm: 1 });
    const served: string[] = [];
    void timed(patient, 1, 30 * 86_400_000, served, 'one');

    await sleepers.pass(29 * 86_400_000 - 1);
    expect(served).toEqual([]);
    await sleepers.pass(1);

    expect(served).toEqual([`one after ${29 * 86_400_000}`]);
  });

  it('of nonsense is refused before anything is sent', async () => {
    for (const waitMs of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 30 * 86_400_000 + 1, '1']) {
      await expect(engine.acquire('key', RESOURCE, { rpm: 1 }, { waitMs: waitMs as number })).rejects.toMatchObject({ code: 'VALIDATION' });
    }
    expect(world.store.writes).toEqual([]);
  });
});

describe('a place in the queue', () => {
  it('is given back by an abort, and 500 of them leave the bucket as if they had never come', async () => {
    await engine.acquire('key', RESOURCE, { rpm: 10 });
    const ref = { namespaceId: 'ns', entity: 'key', resource: RESOURCE, shard: 0 };
    const before = world.store.bucket(ref)?.limits.get('rpm')?.tatUs;
    const controller = new AbortController();
    const waiting = Array.from({ length: 500 }, () =>
      engine
        .acquire('key', RESOURCE, { rpm: 1 }, { waitMs: 3_600_000, signal: controller.signal })
        .catch((error: { code: string }) => error.code),
    );
    await sleepers.pass(500);
    controller.abort();

    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['ABORTED']));
    await engine.close();
    expect(world.store.bucket(ref)?.limits.get('rpm')?.tatUs).toBe(before);
    expect([world.net('key', 'rpm'), sleepers.count]).toEqual([10, 0]);
  });

  it('is given back when the limiter is closed, which does not wait for it', async () => {
    await engine.acquire('key', RESOURCE, { rpm: 10 });
    const waiting = engine.acquire('key', RESOURCE, { rpm: 1 }, { waitMs: 3_600_000 });
    const ended = expect(waiting).rejects.toBeInstanceOf(LimiterClosed);
    await settled();

    await engine.close();

    await ended;
    expect([world.net('key', 'rpm'), sleepers.count]).toEqual([10, 0]);
  });
});
