import type { Limit } from '@millrace/core';
import { checkPrefetch, Engine, type PrefetchOptions } from '@millrace/limiter/engine';
import { MemoryStore } from '../memory-store.js';
import { checkAdmission } from './check-admission.js';
import { Dice } from './dice.js';
import { newHistory } from './history.js';
import { Network } from './network.js';
import { NO_FAULTS, type Way } from './scenario.js';
import { START_US, VirtualTime } from './virtual-time.js';
import type { WayWorld } from './world.js';

/** One bucket that several processes share. */
export interface PrefetchWorld {
  readonly limit: Limit;
  /** The largest cost of one acquire; they are drawn from 1 to this. */
  readonly maxCost: number;
  /** What is asked for, as a share of the limit's rate. */
  readonly load: number;
  readonly processes: number;
  readonly durationMs: number;
  readonly prefetch?: PrefetchOptions;
}

/** What came of it. */
export interface PrefetchFigures {
  readonly acquires: number;
  readonly admitted: number;
  readonly askedTokens: number;
  readonly admittedTokens: number;
  /** Refused ones and those that give back included. */
  readonly writes: number;
  /** Tokens admitted in some interval beyond the capacity, the rate in it and, with prefetch, the rate in one lifetime; 0 where none is. */
  readonly excessTokens: number;
  /** What is wrong: broken invariants of the table, books that do not agree. */
  readonly broken: readonly string[];
}

const MAX_DELAY_US = 4_000;
const WAY: Way = { maxDelayUs: MAX_DELAY_US, faults: NO_FAULTS };
const [NAMESPACE, ENTITY, RESOURCE] = ['sim', 'key', 'model'];

/** Runs the real engine in several processes on one bucket, in virtual time. The same seed brings the same callers, with prefetch and without. */
export async function runPrefetch(seed: number, world: PrefetchWorld): Promise<PrefetchFigures> {
  const arrivals = Dice.for(seed, 'schedule');
  const [time, store, history] = [new VirtualTime(START_US), new MemoryStore(), newHistory()];
  const engines = Array.from({ length: world.processes }, (_, index) =>
    openEngine({ seed, time, store, history, scenario: WAY }, world, index),
  );
  const admissions: { readonly atUs: number; readonly tokens: number }[] = [];

  const everyMs = ((1 + world.maxCost) / 2 / world.limit.refill / world.load) * world.limit.periodMs;
  let [acquires, askedTokens] = [0, 0];
  for (let atMs = arrivals.exponential(everyMs); atMs < world.durationMs; atMs += arrivals.exponential(everyMs)) {
    const [engine, tokens] = [arrivals.pick(engines), arrivals.integer(1, world.maxCost)];
    acquires += 1;
    askedTokens += tokens;
    time.in(atMs * 1000, () => {
      void engine.tryAcquire(ENTITY, RESOURCE, { [world.limit.name]: tokens }, { limits: () => [world.limit] }).then(({ allowed }) => {
        if (allowed) admissions.push({ atUs: time.nowUs, tokens });
      });
    });
  }
  time.in(world.durationMs * 1000 + 1_000_000, () => {
    for (const engine of engines) void engine.close();
  });
  await time.run();

  const admittedTokens = admissions.reduce((sum, { tokens }) => sum + tokens, 0);
  const broken = checkAdmission(world.limit, history.executed, { skewUs: 0, delayUs: MAX_DELAY_US });
  const held = store.bucket({ namespaceId: NAMESPACE, entity: ENTITY, resource: RESOURCE, shard: 0 })?.limits.get(world.limit.name);
  const net = held === undefined ? 0 : Number(held.used - held.returned);
  if (net !== admittedTokens) broken.push(`I3 the books say ${net} tokens, the callers ${admittedTokens}`);
  const excessTokens = excessOf(world, admissions);
  return { acquires, admitted: admissions.length, askedTokens, admittedTokens, writes: history.writes, excessTokens, broken };
}

function openEngine(world: WayWorld, { prefetch: chosen }: PrefetchWorld, index: number): Engine {
  const { seed, time } = world;
  const dice = Dice.for(seed, 'engine', index);
  const prefetch = checkPrefetch(chosen);
  return new Engine({
    store: new Network(world, index),
    namespaceId: NAMESPACE,
    clock: { nowMs: () => time.nowUs / 1000 },
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        signal?.addEventListener('abort', () => resolve());
        time.in(ms * 1000, resolve);
      }),
    random: () => dice.between(0, 1),
    deadlineMs: 5_000,
    configTtlMs: 60_000,
    maxEntries: 1_000,
    // One item, so that the figures are those of taking ahead alone.
    sharding: { maxShards: 1 },
    ...(prefetch === undefined ? {} : { prefetch }),
  });
}

/** I1, by the moments at which callers were told: they may be told so much later than the table has counted it. */
function excessOf({ limit, prefetch }: PrefetchWorld, admissions: readonly { readonly atUs: number; readonly tokens: number }[]): number {
  const perUs = limit.refill / (limit.periodMs * 1000);
  const laterUs = Math.max(MAX_DELAY_US, (checkPrefetch(prefetch)?.lifetimeMs ?? 0) * 1000);
  let [level, lastUs, most] = [0, 0, 0];
  for (const { atUs, tokens } of admissions) {
    level = Math.max(0, level - (atUs - lastUs) * perUs) + tokens;
    lastUs = atUs;
    most = Math.max(most, level);
  }
  // Less than one token is rounding.
  return Math.max(0, Math.floor(most - limit.capacity - perUs * laterUs));
}
