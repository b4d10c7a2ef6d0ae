import { newEntity } from '@millrace/core';
import type { PrefetchOptions } from '@millrace/limiter/engine';
import { FakeRuntime } from '../fake-runtime.js';
import { MemoryStore } from '../memory-store.js';
import { checkAlone } from './check-alone.js';
import { checkHistory } from './check-history.js';
import { NAMESPACE, SimulatedClient } from './client.js';
import { Dice } from './dice.js';
import { type History, newHistory } from './history.js';
import { Network } from './network.js';
import { drawScenario, type Scenario } from './scenario.js';
import { VirtualTime } from './virtual-time.js';

/** What came of one simulated world. */
export interface SimulationResult {
  readonly seed: number;
  readonly operations: number;
  readonly acquires: number;
  readonly admitted: number;
  readonly rejected: number;
  readonly writes: number;
  /** Broken invariants, the first few. */
  readonly broken: readonly string[];
}

const START_US = 1_800_000_000_000_000;
const ACQUIRES = 4_800;
const MOST_SHOWN = 5;

/**
 * Runs the real engine in a world made up from a seed: several processes with clocks that are wrong and a network that
 * is slow and loses things, in virtual time, on the memory store. Then judges what happened. The same seed gives the
 * same run. With `prefetch`, processes take ahead.
 */
export async function simulate(seed: number, acquires: number = ACQUIRES, prefetch?: PrefetchOptions): Promise<SimulationResult> {
  const runtime = new FakeRuntime({ seed });
  const dice = new Dice(runtime.random);
  const drawn = drawScenario(dice, acquires);
  const scenario = prefetch === undefined ? drawn : { ...drawn, prefetch };
  const time = new VirtualTime(START_US);
  const store = new MemoryStore();
  const history = newHistory();

  const create = (): void => createEntities(store, scenario, time.nowUs / 1000);
  if (scenario.createdAt === 0) create();
  else time.in(scenario.createdAt * scenario.durationUs, create);
  for (let index = 0; index < scenario.clients; index += 1) startClient(time, scenario, dice, history, store);
  await time.run();

  const broken = checkHistory(history, scenario, store);
  broken.push(...(await checkAlone(time, scenario, store)));
  const { operations, acquires: asked, admitted, rejected, writes } = history;
  return { seed, operations, acquires: asked, admitted, rejected, writes, broken: broken.slice(0, MOST_SHOWN) };
}

function startClient(time: VirtualTime, scenario: Scenario, dice: Dice, history: History, store: MemoryStore): void {
  const network = new Network(time, store, scenario, dice, history);
  const client = new SimulatedClient(time, scenario, dice, history, network);
  const { acquires, clients, durationUs, phases, faults, maxSkewUs } = scenario;
  const phaseUs = durationUs / phases.length;
  const total = phases.reduce((sum, share) => sum + share, 0);

  phases.forEach((share, phase) => {
    const calls = Math.round((acquires / clients) * (share / total));
    for (let call = 0; call < calls; call += 1) time.in(phase * phaseUs + dice.between(0, phaseUs), () => void client.call());
  });
  if (maxSkewUs > 0) for (let jump = 0; jump < 5; jump += 1) time.in(dice.between(0, durationUs), () => client.jump());
  if (dice.chance(faults.crashes)) time.in(dice.between(0.2, 1) * durationUs, () => client.crash());
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
