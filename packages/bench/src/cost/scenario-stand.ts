import type { Workload } from '@millrace/cost';
import { Limit, type RateLimiter } from '@millrace/limiter';
import { type Ground, LIMITS, RESOURCE, SCARCE } from './ground.js';

/** The processes and entities of a scenario. */
export interface ScenarioStand {
  readonly processes: readonly RateLimiter[];
  /** A process that never remembers what it has read of limits and entities. */
  readonly cold: RateLimiter;
  /** Another one, which drains what shall be refused. */
  readonly drainer: RateLimiter;
  readonly plain: readonly string[];
  /** Those that cascade; each ten of them have a parent, all parents one line of ancestors. */
  readonly cascading: readonly string[];
  /** An entity of its own for an acquire that is to be refused, which cascades or not; it stands, nobody has acquired from it. */
  spare(cascades: boolean): Promise<string>;
}

const CHILDREN_PER_PARENT = 10;
/** Ancestors have so many times the limits of an entity: they are charged for many. */
const ANCESTORS_TIMES = 100;

/** Makes the entities of a scenario, and opens its processes. Nothing of it is counted. */
export async function prepareScenario(ground: Ground, workload: Workload): Promise<ScenarioStand> {
  const configTtlMs = workload.configMissShare === undefined ? workload.configTtlSec * 1_000 : 3_600_000;
  const processes: RateLimiter[] = [];
  for (let index = 0; index < workload.processes; index += 1) processes.push(await ground.open({ configTtlMs }));
  const [cold, drainer] = [await ground.open({ configTtlMs: 0 }), await ground.open()];
  const names = (kind: string): string[] => Array.from({ length: workload.entities }, (_, index) => `${kind}-${index}`);
  const plain = workload.cascadeShare < 1 ? names('plain') : [];
  const cascading = workload.cascadeShare > 0 ? names('cascading') : [];
  const parentOf = await ground.meter.uncounted(() => createAll(drainer, workload, plain, cascading));
  let spares = 0;
  return {
    processes,
    cold,
    drainer,
    plain,
    cascading,
    async spare(cascades) {
      spares += 1;
      const name = `spare-${spares}`;
      await drainer.entities.create(name, cascades ? { parent: parentOf(spares), cascade: true } : {});
      return name;
    },
  };
}

async function createAll(
  admin: RateLimiter,
  workload: Workload,
  plain: readonly string[],
  cascading: readonly string[],
): Promise<(index: number) => string> {
  for (const name of plain) await admin.entities.create(name);
  const wide = LIMITS.map(({ name, refill }) => Limit.perMinute(name, refill * ANCESTORS_TIMES));
  const createAncestor = async (name: string, parent?: string): Promise<void> => {
    await admin.entities.create(name, parent === undefined ? {} : { parent, cascade: true });
    for (const resource of [RESOURCE, SCARCE]) await admin.limits.setEntity(name, resource, wide);
  };
  let above: string | undefined;
  // The highest first; the lowest ancestors, the parents, are several.
  for (let level = workload.depth - 1; level > 1 && cascading.length > 0; level -= 1) {
    await createAncestor(`ancestor-${level}`, above);
    above = `ancestor-${level}`;
  }
  const parents = Math.ceil(cascading.length / CHILDREN_PER_PARENT);
  const parentOf = (index: number): string => `parent-${index % Math.max(1, parents)}`;
  if (workload.depth > 1) for (let index = 0; index < parents; index += 1) await createAncestor(parentOf(index), above);
  for (const [index, name] of cascading.entries()) {
    await admin.entities.create(name, workload.depth > 1 ? { parent: parentOf(index), cascade: true } : {});
  }
  return parentOf;
}
