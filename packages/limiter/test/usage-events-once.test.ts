import { WINDOW_TYPES, type WireItem } from '@millrace/core';
import { reduceSteps, totalUsage, type UsageWindowItem, writesOf } from '@millrace/ledger';
import { Crash, CrashingTable, type CrashPoint, MemoryWindowStore } from '@millrace/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventIds } from '../src/admin/audit-log.js';
import type { PendingEvent } from '../src/billing/usage-event.js';
import { writeEvents } from '../src/billing/write-events.js';
import { BillingWorld, lost, NAMESPACE, type RecordTable, stepBetween, WatchedTable } from './billing-world.js';

const ENTITIES = ['key-1', 'key-2'] as const;

const event = (id: string, entity: string, tpm: number, idempotencyKey?: string): PendingEvent => ({
  id,
  ref: { namespaceId: NAMESPACE, entity, resource: 'gpt-4' },
  amounts: { tpm },
  degraded: false,
  ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
});

/** What is in the table: the names and amounts of the events of an entity, and what its meter counted. */
async function told(world: BillingWorld) {
  const books = [];
  for (const entity of ENTITIES) {
    const events = await world.events(entity);
    const sum = events.reduce((tokens, { amounts }) => tokens + (amounts['tpm'] ?? 0), 0);
    books.push({ names: events.map(({ idempotencyKey }) => idempotencyKey ?? '-').sort(), sum, counted: await world.counted(entity) });
  }
  return books;
}

describe('a process that dies at any request while it records', () => {
  const points = [1, 2, 3].flatMap((at) => (['before', 'after'] as const).map((when): CrashPoint => ({ at, when })));

  it.each(points)('leaves all of a transaction or nothing, so that another records each event once ($when request $at)', async (point) => {
    const world = new BillingWorld();
    const newId = eventIds(() => world.nowMs);
    const earlier = [event(newId(), 'key-1', 1, 'job-1')];
    const mine = [event(newId(), 'key-1', 2, 'job-1'), event(newId(), 'key-1', 4), event(newId(), 'key-2', 8, 'job-1')];
    const parts = { nowMs: () => world.nowMs, retentionDays: 30 };
    await writeEvents({ ...parts, items: world.memory }, earlier);

    // A refused transaction, the read of what refused it, and the transaction of the rest.
    const dying = new CrashingTable(world.memory, point);
    await expect(writeEvents({ ...parts, items: dying }, mine)).rejects.toThrow(Crash);
    const isDone = point.at === 3 && point.when === 'after';
    const half = [
      { names: isDone ? ['-', 'job-1'] : ['job-1'], sum: isDone ? 5 : 1, counted: isDone ? [2, 5] : [1, 1] },
      { names: isDone ? ['job-1'] : [], sum: isDone ? 8 : 0, counted: isDone ? [1, 8] : [0, 0] },
    ];
    expect(await told(world)).toEqual(half);

    expect(await writeEvents({ ...parts, items: world.memory }, mine)).toEqual({ recorded: 2, repeated: 1 });
    expect(await told(world)).toEqual([
      { names: ['-', 'job-1'], sum: 5, counted: [2, 5] },
      { names: ['job-1'], sum: 8, counted: [1, 8] },
    ]);
  });
});

const anyWork = fc.array(
  fc.record({
    process: fc.nat({ max: 2 }),
    entity: fc.constantFrom(...ENTITIES),
    tpm: fc.integer({ min: 0, max: 1_000 }),
    name: fc.option(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { nil: undefined }),
    afterMs: fc.constantFrom(0, 0, 1, 300, 3_600_000),
    mishap: fc.constantFrom('none', 'none', 'lost before', 'lost after', 'late'),
  }),
  { minLength: 1, maxLength: 60 },
);

type Work = typeof anyWork extends fc.Arbitrary<(infer One)[]> ? One : never;

/** Keeps the image of each meter after each write, as the stream does. */
class Meters implements RecordTable {
  readonly records: { readonly old: WireItem | undefined; readonly image: WireItem | undefined; readonly atMs: number }[] = [];
  readonly #world: BillingWorld;

  constructor(world: BillingWorld) {
    this.#world = world;
  }

  async transact(writes: Parameters<RecordTable['transact']>[0]): Promise<'done' | 'conflict'> {
    const read = () => Promise.all(ENTITIES.map((entity) => this.#world.meter(entity)));
    const old = await read();
    const outcome = await this.#world.memory.transact(writes);
    const images = await read();
    images.forEach((image, index) => {
      const isWritten = outcome === 'done' && JSON.stringify(image) !== JSON.stringify(old[index]);
      if (isWritten) this.records.push({ old: old[index], image, atMs: Math.floor(this.#world.nowMs / 1_000) * 1_000 });
    });
    return outcome;
  }

  get(keys: Parameters<RecordTable['get']>[0]) {
    return this.#world.memory.get(keys);
  }
}

/** Three processes whose transactions meet what a test says. */
class TroubledWorld extends BillingWorld {
  readonly meters = new Meters(this);
  readonly #tables = [0, 1, 2].map(() => new WatchedTable(this.meters));
  readonly recorders = this.#tables.map((table) => this.recorder({ maxDelayMs: 200 }, table));
  readonly #late: (() => Promise<unknown>)[] = [];

  async work({ process, entity, tpm, name, afterMs, mishap }: Work): Promise<void> {
    this.#meet(this.#tables[process] as WatchedTable, mishap);
    const named = name === undefined ? {} : { idempotencyKey: name };
    await this.recorders[process]?.record(this.use({ entity, amounts: { tpm }, ...named }));
    await this.sleepers.pass(afterMs);
  }

  /** What happens to the next transaction of a process. */
  #meet(table: WatchedTable, mishap: Work['mishap']): void {
    table.before = () => {
      table.before = () => undefined;
      const [writes] = table.transactions.slice(-1);
      if (mishap === 'late' && writes !== undefined) this.#late.push(() => this.meters.transact(writes));
      if (mishap === 'lost before' || mishap === 'late') lost();
    };
    table.after = () => {
      table.after = () => undefined;
      if (mishap === 'lost after') lost();
    };
  }

  /** Carries out a transaction of which nobody has heard, while its process may have tried again. */
  async arrive(): Promise<boolean> {
    const next = this.#late.shift();
    await next?.();
    return next !== undefined;
  }

  async end(): Promise<void> {
    const closing = Promise.all(this.recorders.map((recorder) => recorder.close()));
    await this.sleepers.pass(4_000);
    await closing;
    while (await this.arrive());
  }
}

/** How many events there must be: all without a name, and one of each name. */
function expectedCount(work: readonly Work[], entity: string): number {
  const own = work.filter((one) => one.entity === entity);
  const names = new Set(own.flatMap(({ name }) => (name === undefined ? [] : [name])));
  return own.filter(({ name }) => name === undefined).length + names.size;
}

/** The windows of an entity by a stream that repeats, and knows no order. */
async function windowsOf({ meters }: TroubledWorld, entity: string, dice: () => number): Promise<readonly UsageWindowItem[]> {
  const steps = meters.records
    .flatMap(({ old, image, atMs }) => stepBetween(old, image, atMs) ?? [])
    .filter(({ ref }) => ref.entity === entity);
  const store = new MemoryWindowStore();
  for (const delivered of [[...steps].reverse(), ...steps.map((step) => [step]), steps]) {
    const shuffled = delivered.map((step) => ({ step, place: dice() })).sort((a, b) => a.place - b.place);
    for (const change of reduceSteps(
      shuffled.map(({ step }) => step),
      () => 'Europe/Berlin',
      WINDOW_TYPES,
    ))
      await store.widen(change);
  }
  return store.windows();
}

describe('events of three processes, with repeated names, and lost and late transactions', () => {
  it('are each recorded once, the meter is their sum, and so are the windows of its records in whatever order and however often', async () => {
    const met = { repeated: 0, failures: 0, hours: 0 };
    const isExact = fc.asyncProperty(anyWork, fc.infiniteStream(fc.nat({ max: 99 })), async (work, numbers) => {
      const world = new TroubledWorld();
      const dice = () => numbers.next().value;
      for (const one of work) {
        await world.work(one);
        if (dice() < 30) await world.arrive();
      }
      await world.end();

      for (const entity of ENTITIES) {
        const events = await world.events(entity);
        const sum = events.reduce((tokens, { amounts }) => tokens + (amounts['tpm'] ?? 0), 0);
        expect(events.length).toBe(expectedCount(work, entity));
        expect(await world.counted(entity)).toEqual([events.length, sum]);
        const windows = await windowsOf(world, entity, dice);
        for (const type of WINDOW_TYPES) {
          const own = windows.filter(({ ref }) => ref.type === type && ref.source === 'events');
          expect(Number(totalUsage(own).get('tpm')?.net ?? 0n)).toBe(sum);
          expect(own.reduce((count, window) => count + writesOf(window), 0)).toBe(events.length);
        }
        expect(windows.filter(({ ref }) => ref.source !== 'events')).toEqual([]);
        met.hours = Math.max(met.hours, windows.filter(({ ref }) => ref.type === 'hour').length);
      }
      for (const { repeated, failures } of world.recorders.map((recorder) => recorder.stats())) {
        met.repeated += repeated;
        met.failures += failures;
      }
    });

    await fc.assert(isExact, { numRuns: 300 });
    expect(met.repeated).toBeGreaterThan(100);
    expect(met.failures).toBeGreaterThan(100);
    expect(met.hours).toBeGreaterThan(2);
  });
});
