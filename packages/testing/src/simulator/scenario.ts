import { Limit } from '@millrace/core';
import type { PrefetchOptions } from '@millrace/limiter/engine';
import { drawChanges, type LimitChanges } from './changes.js';
import type { Dice } from './dice.js';
import { drawSpreading, type Spreading } from './spreading.js';

/** How requests and replies travel. */
export interface Way {
  /** The longest way of a request or a reply. */
  readonly maxDelayUs: number;
  /** How often things go wrong on the way. */
  readonly faults: Faults;
  /** How buckets are spread over several items; each is one item where it is absent. */
  readonly spreading?: Spreading;
}

/** A world to simulate; everything in it was drawn from the seed. */
export interface Scenario extends Way {
  /** The limits of each entity, at first. */
  readonly limits: ReadonlyMap<string, readonly Limit[]>;
  /** The entities that clients acquire on, with their ancestors, nearest first. */
  readonly entities: readonly { readonly id: string; readonly ancestors: readonly string[] }[];
  /** When the entities are created, as a share of the run: 0, or later, so that clients have cached that there are none. */
  readonly createdAt: number;
  readonly clients: number;
  readonly acquires: number;
  /** How long the run is, from the rate of the busiest limit and the load. */
  readonly durationUs: number;
  /** The largest cost of one acquire, by limit. */
  readonly maxCosts: ReadonlyMap<string, number>;
  /** How often an acquire asks for the whole capacity. */
  readonly wholes: number;
  /** The largest error of a client's clock. */
  readonly maxSkewUs: number;
  /** Clocks are corrected by the times that the store's replies say; absent where they are left as they are. */
  readonly corrected?: boolean;
  /** Acquires come in phases of these relative rates. */
  readonly phases: readonly number[];
  /** So many callers of one process come at the same moment. */
  readonly crowd: number;
  /** How many of the callers are ready to wait for their turn, and how long they may be ready to. */
  readonly waits: { readonly share: number; readonly ms: readonly number[] };
  /** How often a lease is not simply committed. */
  readonly settling: { readonly release: number; readonly adjust: number };
  /** How limits change; they do not where it is absent. */
  readonly changes?: LimitChanges;
  /** How processes take ahead; they do not where it is absent. */
  readonly prefetch?: PrefetchOptions;
}

/** Shares of requests; of the processes, for crashes. */
export interface Faults {
  readonly lostRequests: number;
  readonly lostReplies: number;
  /** Debits that carry a name and arrive twice. */
  readonly duplicates: number;
  readonly throttles: number;
  readonly crashes: number;
}

export const NO_FAULTS: Faults = { lostRequests: 0, lostReplies: 0, duplicates: 0, throttles: 0, crashes: 0 };
const MOST_LOST = 0.1;
/** How many of the worlds have buckets that spread. */
const SPREAD_WORLDS = 0.25;
/** How many of the worlds have limits that change. */
const CHANGING_WORLDS = 0.25;
/** How many of the worlds have processes that take ahead. */
const AHEAD_WORLDS = 0.2;
/** A bucket of fewer is never spread: an item has to have a share of ten. */
const SPREADABLE_TOKENS = 20;
const NO_WAITS: Scenario['waits'] = { share: 0, ms: [0] };

const LIMITS: readonly (readonly [Limit, maxCost: number])[] = [
  [Limit.perSecond('fast', 20_000, { capacity: 10_000 }), 20],
  [Limit.perSecond('mid', 10, { capacity: 600 }), 3],
  [Limit.perMinute('llm', 100_000), 2_000],
  [Limit.perMinute('slow', 10), 1],
  [Limit.perMinute('odd', 333, { capacity: 71 }), 5],
  [Limit.of({ name: 'short', refill: 7, periodMs: 50, capacity: 30 }), 2],
  [Limit.perSecond('exact', 50, { capacity: 500, reserve: 0 }), 4],
  [Limit.perDay('daily', 5_000, { capacity: 200 }), 2],
];

/** Draws a world. Half of the worlds have clocks that are right and replies that come, so that nothing hides in a tolerance. */
export function drawScenario(dice: Dice, acquires: number): Scenario {
  const drawn = dice.chance(0.6) ? [dice.pick(LIMITS)] : drawTwo(dice);
  const limits = drawn.map(([limit]) => limit);
  const load = dice.pick([0.3, 0.6, 0.9, 1, 1.5, 4]);
  const shape = dice.pick(['one', 'one', 'keys', 'chain', 'late'] as const);
  const entities = drawEntities(shape, dice);
  const calm = dice.chance(0.5) || shape === 'late';

  const byEntity = new Map<string, readonly Limit[]>();
  for (const { id, ancestors } of entities) {
    for (const entity of [id, ...ancestors]) byEntity.set(entity, limits);
  }
  const perAcquireUs = Math.max(...drawn.map(([limit, maxCost]) => ((1 + maxCost) / 2 / limit.refill) * limit.periodMs * 1000));
  const scenario: Scenario = {
    limits: byEntity,
    entities,
    createdAt: shape === 'late' ? 0.3 : 0,
    clients: dice.chance(0.25) ? 1 : dice.integer(2, 12),
    acquires,
    durationUs: (acquires * perAcquireUs) / load,
    maxCosts: new Map(drawn.map(([limit, maxCost]) => [limit.name, maxCost])),
    wholes: dice.pick([0, 0.002, 0.02]),
    maxDelayUs: dice.pick([500, 4_000, 20_000]),
    maxSkewUs: calm ? 0 : dice.pick([0, 5_000, 200_000]),
    faults: calm || dice.chance(0.3) ? NO_FAULTS : drawFaults(dice),
    phases: dice.pick([[1], [0.2, 1, 6], [0.95, 0.95, 20, 0], [1, 0, 0, 8]]),
    crowd: dice.pick([1, 1, 1, 4, 30]),
    waits: drawWaits(limits, dice),
    settling: dice.pick([
      { release: 0, adjust: 0 },
      { release: 0.2, adjust: 0.3 },
    ]),
  };
  const isSpread = dice.chance(SPREAD_WORLDS) && limits.every(({ capacity }) => capacity >= SPREADABLE_TOKENS);
  const spreading = isSpread ? { spreading: drawSpreading(dice, (load * 1_000_000) / perAcquireUs) } : {};
  // Where entities are created later, a version of the configuration says whether a process has heard of that.
  const isChanging = dice.chance(CHANGING_WORLDS) && shape !== 'late';
  const changes = isChanging ? { changes: drawChanges(dice, limits, scenario.maxCosts) } : {};
  const prefetch = dice.chance(AHEAD_WORLDS) ? { prefetch: { lifetimeMs: dice.pick([500, 5_000, 60_000]) } } : {};
  return { ...scenario, ...spreading, ...changes, ...prefetch };
}

/** The entities that an acquire takes from, its own first. */
export function levelsOf({ entities }: Scenario, entity: string): readonly string[] {
  return [entity, ...(entities.find(({ id }) => id === entity)?.ancestors ?? [])];
}

function drawFaults(dice: Dice): Faults {
  const [lostRequests, lostReplies, duplicates] = [dice.between(0, MOST_LOST), dice.between(0, MOST_LOST), dice.between(0, MOST_LOST)];
  return { lostRequests, lostReplies, duplicates, throttles: dice.pick([0, 0.02]), crashes: dice.pick([0, 0.3]) };
}

/** How long callers wait is measured by the time in which the slowest of the limits fills up. */
function drawWaits(limits: readonly Limit[], dice: Dice): Scenario['waits'] {
  const fillMs = Math.max(...limits.map(({ capacity, refill, periodMs }) => (capacity / refill) * periodMs));
  const [share, part] = [dice.pick([0, 0, 0.3, 1]), dice.pick([0.02, 0.3, 2])];
  return share === 0 ? NO_WAITS : { share, ms: [Math.ceil(fillMs * part), Math.ceil((fillMs * part) / 2)] };
}

function drawTwo(dice: Dice): (typeof LIMITS)[number][] {
  const first = dice.integer(0, LIMITS.length - 1);
  const second = (first + dice.integer(1, LIMITS.length - 1)) % LIMITS.length;
  return [LIMITS[first], LIMITS[second]] as (typeof LIMITS)[number][];
}

function drawEntities(shape: 'one' | 'keys' | 'chain' | 'late', dice: Dice): Scenario['entities'] {
  switch (shape) {
    case 'one':
      return [{ id: 'key', ancestors: [] }];
    case 'keys':
      return Array.from({ length: dice.integer(2, 5) }, (_, index) => ({ id: `key-${index}`, ancestors: ['project'] }));
    case 'chain':
      return [
        { id: 'key-0', ancestors: ['project-0', 'org'] },
        { id: 'key-1', ancestors: ['project-0', 'org'] },
        { id: 'key-2', ancestors: ['project-1', 'org'] },
      ];
    case 'late':
      return [{ id: 'key', ancestors: ['project'] }];
  }
}

/** What was drawn, in few words. */
export function describeScenario(scenario: Scenario): Readonly<Record<string, unknown>> {
  const { limits, entities, maxCosts, changes, ...rest } = scenario;
  const [held = []] = limits.values();
  return {
    limits: held.map(describeLimit),
    entities: entities.map(({ id, ancestors }) => [id, ...ancestors].join(' < ')),
    maxCosts: Object.fromEntries(maxCosts),
    ...rest,
    ...(changes === undefined ? {} : { changes: { source: changes.source, later: changes.later.map(describeGeneration) } }),
  };
}

function describeGeneration({ at, limits }: LimitChanges['later'][number]): string {
  return [`at ${at.toFixed(3)}`, ...limits.map(describeLimit)].join(', ');
}

function describeLimit({ name, capacity, refill, periodMs, reserve }: Limit): string {
  return `${name}: ${refill} each ${periodMs} ms, capacity ${capacity}, reserve ${reserve}`;
}
