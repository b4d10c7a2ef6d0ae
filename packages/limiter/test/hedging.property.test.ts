import { type BucketWrite, StoreFailure } from '@millrace/core';
import type { Engine, Lease } from '@millrace/limiter/engine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Fate, QUICK, RESOURCE, RPM, SlowWorld } from './slow-world.js';

const lost = new StoreFailure('timeout', 'unknown', 'no reply');
const anyDelayMs = fc.oneof({ weight: 2, arbitrary: fc.constant(5) }, { weight: 1, arbitrary: fc.integer({ min: 0, max: 300 }) });
const anyFate: fc.Arbitrary<Fate> = fc.record({ thereMs: anyDelayMs, backMs: anyDelayMs });
const anyFaultyFate: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 4, arbitrary: anyFate },
  { weight: 1, arbitrary: anyFate.map((fate) => ({ ...fate, failure: lost })) },
  { weight: 1, arbitrary: anyFate.map((fate) => ({ ...fate, failure: lost, isNeverDone: true })) },
);
/** A caller comes so many milliseconds after the one before, takes, and then takes more, gives back, or keeps what it has. */
const anyCaller = fc.record({
  afterMs: fc.integer({ min: 0, max: 100 }),
  rpm: fc.integer({ min: 1, max: 4 }),
  next: fc.constantFrom('keeps', 'takes more', 'releases'),
  process: fc.nat(1),
});
type Caller = typeof anyCaller extends fc.Arbitrary<infer T> ? T : never;

/** What callers know to hold when all is over, and what those asked for who heard nothing. */
interface Outcome {
  held: number;
  unsure: number;
}

async function runCaller(world: SlowWorld, engine: Engine, { rpm, next }: Caller, outcome: Outcome): Promise<void> {
  let lease: Lease;
  outcome.unsure += rpm;
  try {
    const verdict = await engine.tryAcquire('key', RESOURCE, { rpm }, { limits: RPM });
    outcome.unsure -= rpm;
    if (!verdict.allowed) return;
    lease = verdict.lease;
  } catch {
    return;
  }
  if (next === 'takes more') {
    outcome.unsure += 1;
    await lease.adjust({ rpm: 1 }).then(
      () => {
        outcome.unsure -= 1;
      },
      () => undefined,
    );
  }
  outcome.held += lease.consumed['rpm'] ?? 0;
  if (next !== 'releases') return;
  world.fateOf = within(world.fateOf, (write) => write.request === undefined);
  outcome.held -= lease.consumed['rpm'] ?? 0;
  await lease.release();
}

/** Fates as before, but quick for some writes: what a credit that is lost may leave open is another test's. */
function within(fateOf: SlowWorld['fateOf'], isQuick: (write: BucketWrite) => boolean): SlowWorld['fateOf'] {
  return (index, write) => (isQuick(write) ? QUICK : fateOf(index, write));
}

async function run(
  callers: readonly Caller[],
  fates: readonly Fate[],
  processes: number,
): Promise<Outcome & { readonly world: SlowWorld }> {
  const world = new SlowWorld();
  const engines: Engine[] = [];
  for (let index = 0; index < processes; index += 1) engines.push(await world.learned({ hedging: { budget: 0.5 } }));
  world.fateOf = (index) => fates[index] ?? QUICK;
  const outcome: Outcome = { held: 0, unsure: 0 };
  const running: Promise<void>[] = [];
  for (const caller of callers) {
    await world.sleepers.pass(caller.afterMs);
    running.push(runCaller(world, engines[caller.process % processes] as Engine, caller, outcome));
  }
  await world.during(Promise.all(running));
  await world.drain();
  return { ...outcome, world };
}

const ofKey = ({ applied }: SlowWorld) => applied.filter(({ ref }) => ref.entity === 'key');

function mostCopies(writes: readonly BucketWrite[]): number {
  const copies = new Map<BucketWrite, number>();
  for (const write of writes) copies.set(write, (copies.get(write) ?? 0) + 1);
  return Math.max(0, ...copies.values());
}

/**
 * Tokens that were taken again by debits that were done twice. Their slot had forgotten them: another request was done in
 * it in between.
 */
function takenAgain(applied: readonly BucketWrite[]): number {
  const [done, lastIn] = [new Set<number>(), new Map<number, number>()];
  let tokens = 0;
  for (const { request, moves } of applied) {
    if (request === undefined) continue;
    expect(lastIn.get(request.slot)).not.toBe(request.id);
    if (done.has(request.id)) tokens += moves.reduce((sum, move) => sum + ('tokens' in move ? move.tokens : 0), 0);
    done.add(request.id);
    lastIn.set(request.slot, request.id);
  }
  return tokens;
}

const anyCallers = fc.array(anyCaller, { minLength: 1, maxLength: 12 });

describe('whatever order copies and replies come in', () => {
  it("the tokens of a process's callers are taken once, and no write is sent more than twice", { timeout: 120_000 }, async () => {
    let hedges = 0;
    await fc.assert(
      fc.asyncProperty(anyCallers, fc.array(anyFate, { maxLength: 40 }), async (callers, fates) => {
        const { world, held, unsure } = await run(callers, fates, 1);

        expect([world.net('key'), unsure]).toEqual([held, 0]);
        expect(mostCopies(world.writes)).toBeLessThanOrEqual(2);
        hedges += world.writes.length - new Set(world.writes).size;
      }),
      { numRuns: 200 },
    );
    expect(hedges).toBeGreaterThan(100);
  });

  it('nothing is minted, and what is lost leaks no more than those heard nothing of who asked for it', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(anyCallers, fc.array(anyFaultyFate, { maxLength: 40 }), async (callers, fates) => {
        const { world, held, unsure } = await run(callers, fates, 1);

        expect(world.net('key')).toBeGreaterThanOrEqual(held);
        expect(world.net('key')).toBeLessThanOrEqual(held + unsure + takenAgain(ofKey(world)));
      }),
      { numRuns: 200 },
    );
  });

  it('only what another process made the bucket forget counts twice', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(anyCallers, fc.array(anyFate, { maxLength: 40 }), async (callers, fates) => {
        const { world, held, unsure } = await run(callers, fates, 2);

        expect(unsure).toBe(0);
        expect(world.net('key')).toBe(held + takenAgain(ofKey(world)));
      }),
      { numRuns: 100 },
    );
  });
});

describe('the budget', () => {
  it('is kept over ten thousand calls of which each fifth is slow', { timeout: 120_000 }, async () => {
    const world = new SlowWorld();
    const engine = world.open();
    world.fateOf = () => (world.runtime.random() < 0.2 ? { thereMs: 5, backMs: 100 } : QUICK);

    for (let batch = 0; batch < 100; batch += 1) {
      const calls = Array.from({ length: 100 }, (_, index) => engine.acquire(`${batch}-${index}`, RESOURCE, { rpm: 1 }, { limits: RPM }));
      await world.sleepers.pass(110);
      await Promise.all(calls);
    }

    const { hedges, requests, acquires } = engine.stats.snapshot();
    expect({ acquires, requests }).toEqual({ acquires: 10_000, requests: {} });
    expect(world.writes.length - 10_000).toBe(hedges);
    expect(hedges).toBeLessThanOrEqual(500);
    expect(mostCopies(world.writes)).toBeLessThanOrEqual(2);
  });

  it('is spent where calls are slow as seldom as it foresees: each slow one has its second copy', { timeout: 120_000 }, async () => {
    const world = new SlowWorld();
    const engine = await world.learned();
    let slow = 0;
    world.fateOf = (index, write) => {
      if (index % 40 !== 0 || world.writes.indexOf(write) !== index) return QUICK;
      slow += 1;
      return { thereMs: 5, backMs: 1_000 };
    };

    for (let call = 0; call < 400; call += 1) {
      const { tookMs } = await world.during(engine.acquire(`call-${call}`, RESOURCE, { rpm: 1 }, { limits: RPM }));
      expect(tookMs).toBeLessThanOrEqual(21);
    }

    expect(slow).toBeGreaterThanOrEqual(10);
    expect(engine.stats.snapshot()).toMatchObject({ hedges: slow, hedgesWon: slow });
  });
});
