import type { Engine } from '@millrace/limiter/engine';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigWorld, RESOURCE, rpm } from './config-world.js';

let world: ConfigWorld;
let engine: Engine;

beforeEach(async () => {
  world = new ConfigWorld();
  world.set({ level: 'system' }, { limits: [rpm(600, { capacity: 10 })] });
  engine = world.open();
});

const ask = (tokens: number, by = engine, entity = 'key') => by.tryAcquire(entity, RESOURCE, { rpm: tokens });

/** Requests of buckets that `work` sends. */
async function writesOf(work: () => Promise<unknown>): Promise<number> {
  const before = world.store.writes.length;
  await work();
  return world.store.writes.length - before;
}

describe('a rejection that what was seen last proves', () => {
  it('makes no request, and says truthfully when to come again', async () => {
    await ask(10);
    const waits: number[] = [];
    const sent = await writesOf(async () => {
      for (let index = 0; index < 5; index += 1) {
        const verdict = await ask(5);
        waits.push(verdict.allowed ? 0 : verdict.retryAfterMs);
        world.runtime.advance(80);
      }
    });

    expect([sent, waits]).toEqual([0, [500, 420, 340, 260, 180]]);
    expect(engine.stats.snapshot()).toMatchObject({ rejected: 5, localRejections: 5 });
    world.runtime.advance(99);
    expect((await ask(5)).allowed).toBe(false);
    world.runtime.advance(1);
    expect((await ask(5)).allowed).toBe(true);
  });

  it('ends when the tokens are there: then one request asks for all that came', async () => {
    await ask(10);
    await ask(5);
    world.runtime.advance(100);

    const verdicts: boolean[] = [];
    const sent = await writesOf(async () => {
      verdicts.push(...(await Promise.all(Array.from({ length: 50 }, () => ask(1)))).map(({ allowed }) => allowed));
    });

    expect([sent, verdicts.filter(Boolean).length, verdicts[0]]).toEqual([1, 1, true]);
  });

  it('does not stand in the way of a smaller request', async () => {
    await ask(8);
    expect((await ask(5)).allowed).toBe(false);

    expect((await ask(2)).allowed).toBe(true);
  });

  it('ends with what this process gives back', async () => {
    const lease = await engine.acquire('key', RESOURCE, { rpm: 10 });
    expect((await ask(5)).allowed).toBe(false);
    await lease.release();

    expect((await ask(5)).allowed).toBe(true);
  });

  it('is believed for a second: then what others have given back is seen', async () => {
    world.set({ level: 'system' }, { limits: [rpm(10)] });
    const [one, other] = [world.open(), world.open()];
    const lease = await other.acquire('key', RESOURCE, { rpm: 10 });
    expect((await ask(5, one)).allowed).toBe(false);
    await lease.release();
    world.runtime.advance(999);
    expect((await ask(5, one)).allowed).toBe(false);

    world.runtime.advance(1);

    expect((await ask(5, one)).allowed).toBe(true);
  });

  it('asks nobody where an ancestor is what refuses, and gives nothing back', async () => {
    world.place('project');
    world.place('child', 'project');
    world.set({ level: 'entity-default', entity: 'child' }, { limits: [rpm(100)] });
    await ask(10, engine, 'child');
    expect((await ask(1, engine, 'child')).allowed).toBe(false);

    const sent = await writesOf(async () => {
      const verdict = await ask(1, engine, 'child');
      expect(verdict).toMatchObject({ allowed: false, statuses: [{ entity: 'child' }, { entity: 'project', exceeded: true }] });
    });

    expect(sent).toBe(0);
    expect(world.net('child', 'rpm')).toBe(10);
  });

  it('says nothing of a bucket that has met a newer configuration', async () => {
    const other = world.open();
    await ask(10);
    world.runtime.advance(5);
    world.set({ level: 'system' }, { limits: [rpm(600, { capacity: 100 })] });
    await other.acquire('key', RESOURCE, { rpm: 1 });
    world.runtime.advance(1_000);

    expect((await ask(50)).allowed).toBe(true);
  });

  it('needs a reply that knows of what its own process gives back', async () => {
    world.set({ level: 'system' }, { limits: [rpm(60, { capacity: 10 })] });
    const lease = await engine.acquire('key', RESOURCE, { rpm: 10 });
    world.runtime.advance(1_500);
    // Both writes are done at once; their replies come when they are let go.
    const letGo: (() => void)[] = [];
    const write = world.store.write.bind(world.store);
    world.store.write = async (sent) => {
      const outcome = await write(sent);
      await new Promise<void>((resolve) => letGo.push(resolve));
      return outcome;
    };
    const refused = ask(5);
    await vi.waitFor(() => expect(letGo).toHaveLength(1));
    const released = lease.release();
    await vi.waitFor(() => expect(letGo).toHaveLength(2));

    letGo[0]?.();
    expect((await refused).allowed).toBe(false);
    world.store.write = write;
    expect((await ask(5)).allowed).toBe(true);

    letGo[1]?.();
    await released;
  });

  it('is forgotten with the bucket, of which only so many are remembered', async () => {
    const small = world.open({ maxEntries: 2 });
    await small.acquire('key', RESOURCE, { rpm: 10 });
    for (const entity of ['a', 'b', 'c']) await small.acquire(entity, RESOURCE, { rpm: 1 });

    expect(await writesOf(() => ask(5, small))).toBe(1);
  });

  it('is one that the table would have given (I14)', async () => {
    const anyStep = fc.record({
      by: fc.integer({ min: 0, max: 2 }),
      tokens: fc.integer({ min: 1, max: 10 }),
      ms: fc.integer({ min: 0, max: 400 }),
    });
    let proven = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 20, maxLength: 60 }), async (steps) => {
        const own = new ConfigWorld();
        own.set({ level: 'system' }, { limits: [rpm(600, { capacity: 10 })] });
        const processes = [own.open(), own.open(), own.open()] as const;
        for (const { by, tokens, ms } of steps) {
          own.runtime.advance(ms);
          const process = processes[by as 0 | 1 | 2];
          const before = process.stats.snapshot().localRejections;
          const verdict = await ask(tokens, process);
          if (process.stats.snapshot().localRejections === before) continue;
          proven += 1;
          // One that knows nothing has to ask, and is refused for as long at least: others may have taken meanwhile.
          const told = await ask(tokens, own.open());
          if (verdict.allowed || told.allowed) expect.fail('a refusal that the table would not have given');
          expect(told.retryAfterMs).toBeGreaterThanOrEqual(verdict.retryAfterMs);
        }
      }),
      { numRuns: 200 },
    );
    expect(proven).toBeGreaterThan(500);
  });
});
