import { newEntity } from '@millrace/core';
import { MemoryStore } from '../memory-store.js';
import { NAMESPACE, RESOURCE, SimulatedClient } from './client.js';
import { generationsOf } from './generations.js';
import { newHistory } from './history.js';
import { Network } from './network.js';
import type { Scenario } from './scenario.js';
import type { ProcessSchedule } from './schedule.js';
import { START_US, VirtualTime } from './virtual-time.js';
import type { World } from './world.js';

/** Runs a schedule to its end. What the network does is drawn as it is asked for; all else has been drawn before. */
export async function runWorld(
  seed: number,
  scenario: Scenario,
  schedule: readonly ProcessSchedule[],
  without: readonly string[] = [],
): Promise<World> {
  const time = new VirtualTime(START_US);
  const world: World = { seed, scenario, time, store: new MemoryStore(), history: newHistory(), without };
  const create = (): void => createEntities(world.store, scenario, time.nowUs / 1000);
  if (scenario.createdAt === 0) create();
  else time.in(scenario.createdAt * scenario.durationUs, create);
  if (scenario.changes?.source === 'stored') storeLimits(world);
  for (const [client, own] of schedule.entries()) startClient(world, client, own);
  await time.run();
  return world;
}

/** Stores the limits of the resource, which hold for all entities, and each change of them at its time. */
function storeLimits({ scenario, store, time, history }: World): void {
  const nowMs = time.nowUs / 1000;
  for (const [generation, limits] of generationsOf(scenario).entries()) {
    const record = { limits: [...limits.values()][0] ?? [], version: nowMs + generation, updatedAtMs: nowMs };
    const set = (): void => store.setConfig(NAMESPACE, { level: 'resource', resource: RESOURCE }, { record });
    const at = scenario.changes?.later[generation - 1]?.at;
    if (at === undefined) set();
    else
      time.in(at * scenario.durationUs, () => {
        set();
        history.switches.push({ atUs: time.nowUs, generation, client: undefined });
      });
  }
}

function startClient(world: World, index: number, { calls, skews, crashInUs, changesInUs }: ProcessSchedule): void {
  const { time } = world;
  const network = new Network(world, index);
  const client = new SimulatedClient(world, index, network);
  for (const { inUs, skewUs } of skews) {
    if (inUs === 0) client.jump(skewUs);
    else time.in(inUs, () => client.jump(skewUs));
  }
  for (const [before, inUs] of changesInUs.entries()) time.in(inUs, () => client.goOverTo(before + 1));
  for (const { inUs, call } of calls) time.in(inUs, () => void client.call(call));
  if (crashInUs !== undefined) time.in(crashInUs, () => client.crash());
}

function createEntities(store: MemoryStore, scenario: Scenario, nowMs: number): void {
  const made = new Map<string, ReturnType<typeof newEntity>>();
  for (const { id, ancestors } of scenario.entities) {
    const chain = [...ancestors].reverse();
    for (const [index, entity] of [...chain, id].entries()) {
      if (made.has(entity)) continue;
      const parent = index === 0 ? undefined : made.get(chain[index - 1] ?? '');
      const record = newEntity(entity, parent, parent !== undefined, undefined, nowMs);
      made.set(entity, record);
      store.setConfig(NAMESPACE, { level: 'lineage', entity }, { entity: record });
    }
  }
}
