import { type Limit, layoutOf, shardCount } from '@millrace/core';
import { Engine } from '@millrace/limiter/engine';
import { NAMESPACE, RESOURCE } from './client.js';
import { generationsOf } from './generations.js';
import { engineOptions } from './techniques.js';
import type { VirtualTime } from './virtual-time.js';
import type { World } from './world.js';

const MAX_BURST = 2_000;
const ROUNDS = 5;
/** So many items are asked before a request is refused. */
const MOST_ASKED = 3;

/**
 * I8, I13, I15: what one caller alone is promised, on the buckets that a run has left behind, once they are full again.
 * Nothing is lost and no time passes on the way, so the promises are exact.
 */
export async function checkAlone({ time, scenario, store, without }: World): Promise<string[]> {
  const limits = generationsOf(scenario).at(-1) ?? scenario.limits;
  const options = {
    store,
    namespaceId: NAMESPACE,
    clock: { nowMs: () => time.nowUs / 1000 },
    sleep: async () => undefined,
    random: () => 0.5,
    deadlineMs: 5_000,
    configTtlMs: 60_000,
    maxEntries: 1_000,
    // Buckets stay as they were left: what a split has only begun is finished, nothing else is decided.
    sharding: { splitPerSec: Number.POSITIVE_INFINITY, mergePerSec: 0 },
  };
  const engine = new Engine(engineOptions(options, without));
  const broken: string[] = [];
  for (const { id, ancestors } of scenario.entities) {
    for (const limit of limits.get(id) ?? []) {
      const items = () => mostItems(store, [id, ...ancestors]);
      broken.push(...(await checkLimit({ time, engine, items }, id, limit, 1 + ancestors.length, (entity) => limits.get(entity))));
    }
  }
  return broken;
}

/** Over how many items the bucket of any of these is spread at most. */
function mostItems(store: World['store'], entities: readonly string[]): number {
  const counts = entities.map((entity) =>
    shardCount(layoutOf(store.bucket({ namespaceId: NAMESPACE, entity, resource: RESOURCE, shard: 0 }))),
  );
  return Math.max(...counts);
}

/** One caller, and the buckets that it meets. */
interface Lone {
  readonly time: VirtualTime;
  readonly engine: Engine;
  readonly items: () => number;
}

async function checkLimit(
  { time, engine, items }: Lone,
  entity: string,
  limit: Limit,
  levels: number,
  limits: (entity: string) => readonly Limit[] | undefined,
): Promise<string[]> {
  const broken: string[] = [];
  const ask = (tokens: number) => engine.tryAcquire(entity, RESOURCE, { [limit.name]: tokens }, { limits });
  const passMs = (ms: number): void => {
    time.nowUs += ms * 1000;
  };
  const fillMs = Math.ceil((limit.capacity / limit.refill) * limit.periodMs) + 1;
  const who = `"${limit.name}" of ${entity}`;

  passMs(10 * fillMs + 1_000_000_000);
  const writes = engine.stats.snapshot().branchMisses;
  if (!(await ask(limit.capacity)).allowed) broken.push(`I13 ${who}: a full bucket refused its whole capacity`);
  if (engine.stats.snapshot().branchMisses - writes > 2 * items()) broken.push(`I13 ${who}: the whole capacity took more than two writes`);

  passMs(2 * fillMs);
  const cost = Math.max(1, Math.floor(limit.capacity / MAX_BURST));
  let burst = 0;
  let verdict = await ask(cost);
  for (; verdict.allowed; verdict = await ask(cost)) burst += cost;
  if (burst > limit.capacity) broken.push(`I8 ${who}: a full bucket of ${limit.capacity} admitted ${burst} at once`);

  // Of several items three are asked, and the moment is that of the best of them: nothing is promised of the others.
  if (items() > MOST_ASKED) return broken;
  // Refused: the moment it names is the first at which it is admitted.
  const refused = engine.stats.snapshot().refusedWrites;
  for (let round = 0; round < ROUNDS && !verdict.allowed; round += 1) {
    const { retryAfterMs } = verdict;
    passMs(retryAfterMs - 1);
    if ((await ask(cost)).allowed) broken.push(`I15 ${who}: admitted a millisecond before the ${retryAfterMs} ms that it named`);
    passMs(1);
    if (!(await ask(cost)).allowed) broken.push(`I15 ${who}: refused after the ${retryAfterMs} ms that it named`);
    verdict = await ask(cost);
  }
  const asked = engine.stats.snapshot().refusedWrites - refused;
  // Two refusals a round, and each costs one refused write for each item of each level, never a second try.
  if (asked > 2 * ROUNDS * levels * items()) broken.push(`I15 ${who}: ${2 * ROUNDS} refusals took ${asked} writes`);
  return broken;
}
