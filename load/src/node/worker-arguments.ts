import { FARGATE_CPUS, memoriesFor, type TaskSize, usualMemoryFor } from '../aws/fargate-size.js';
import type { Scaling } from '../plan/crews.js';
import type { Mode } from '../plan/settings.js';
import { optional, timeOf, UsageError, wholeOf } from './flags.js';
import type { Workforce } from './many-workers.js';

/** One k6 on this machine, several that share a run, the workers of a rig, or Grafana's. */
export type Place = 'local' | 'distributed' | 'lambda' | 'fargate' | 'cloud';

/** Who makes the load, and what each of them is made of. */
export interface WorkerPlan extends Workforce {
  /** Of each Fargate task; absent for that of the rig's definition. */
  readonly size?: TaskSize;
}

export const WORKER_OPTIONS = {
  workers: { type: 'string' },
  'users-per-worker': { type: 'string' },
  'min-workers': { type: 'string' },
  'max-workers': { type: 'string' },
  lead: { type: 'string' },
  cpu: { type: 'string' },
  memory: { type: 'string' },
} as const;

/** Those that say how many workers there are. */
export const COUNTING_OPTIONS = ['workers', 'users-per-worker', 'min-workers', 'max-workers'] as const;

const [MOST_WORKERS, USUAL_WORKERS, USUAL_MOST] = [1_000, 2, 100] as const;
const LONGEST_LEAD_MS = 600_000;

export const WORKER_OPTIONS_USAGE = `  --workers N       how many share the load, 1 to ${MOST_WORKERS} (${USUAL_WORKERS}; local has one)
  --users-per-worker N   instead: as many workers at each time as the planned users want, which "tune" finds
  --min-workers N   then not fewer (1), nor more than users
  --max-workers N   then not more (${USUAL_MOST}), however many users each one has
  --lead T          how long before it is needed a worker is started (3s here, 10s on Lambda, 2m on Fargate)
  --cpu N           of each Fargate task, in processor units: ${FARGATE_CPUS.join(', ')} (the rig's)
  --memory MB       of each Fargate task, as Fargate has it for so much --cpu (2048, or the least above)
`;

/** As the options were given. */
export type WorkerValues = { readonly [Option in keyof typeof WORKER_OPTIONS]?: string | undefined };

/** Reads who makes the load. @throws UsageError for what the place does not have */
export function workerPlan(values: WorkerValues, place: Place): WorkerPlan {
  if (place === 'local' || place === 'cloud') {
    refuseWorkers(values, place);
    refuseSize(values, place);
    return { workers: 1 };
  }
  const leadMs = timeOf('lead', values.lead);
  if (leadMs !== undefined && leadMs > LONGEST_LEAD_MS) throw new UsageError(`--lead must be at most 10m, got "${values.lead}"`);
  if (place !== 'fargate') refuseSize(values, place);
  return {
    workers: wholeOf('workers', values.workers, USUAL_WORKERS, MOST_WORKERS),
    ...optional('scaling', scalingOf(values)),
    ...optional('leadSec', leadMs === undefined ? undefined : leadMs / 1_000),
    ...optional('size', sizeOf(values)),
  };
}

function refuseWorkers(values: WorkerValues, place: Place): void {
  const given = ([...COUNTING_OPTIONS, 'lead'] as const).find((option) => values[option] !== undefined);
  if (given === undefined) return;
  throw new UsageError(
    place === 'local' ? `--${given}: --mode local is one k6; use --mode distributed` : `--${given}: Grafana Cloud has its own; use --zone`,
  );
}

/** Sizes that nobody can choose for a run, and what can be done instead. */
function refuseSize({ cpu, memory }: WorkerValues, place: Place): void {
  const given = cpu !== undefined ? 'cpu' : memory !== undefined ? 'memory' : undefined;
  if (given === undefined) return;
  if (place === 'lambda')
    throw new UsageError(
      `--${given}: an invocation of Lambda has the memory of its function, and processors by it (1769 MB is one): ` +
        'set lambdaMemoryMb of the LoadRig and deploy it, or use --mode fargate',
    );
  if (place === 'cloud') throw new UsageError(`--${given}: Grafana Cloud has sizes of its own; --cpu and --memory are for --mode fargate`);
  throw new UsageError(`--${given} is for --mode fargate, got --mode ${place}: k6 takes what this machine has`);
}

function scalingOf(values: WorkerValues): Scaling | undefined {
  const { workers, 'users-per-worker': usersPerWorker, 'min-workers': least, 'max-workers': most } = values;
  if (usersPerWorker === undefined) {
    const orphan = least !== undefined ? 'min-workers' : most !== undefined ? 'max-workers' : undefined;
    if (orphan !== undefined) throw new UsageError(`--${orphan} bounds what --users-per-worker makes: give that, too`);
    return undefined;
  }
  if (workers !== undefined) throw new UsageError('--workers and --users-per-worker both say how many there are: give one of the two');
  const maxWorkers = wholeOf('max-workers', most, USUAL_MOST, MOST_WORKERS);
  const minWorkers = wholeOf('min-workers', least, 1, MOST_WORKERS);
  if (minWorkers > maxWorkers) throw new UsageError(`--min-workers must be at most --max-workers, ${maxWorkers}, got "${minWorkers}"`);
  return { usersPerWorker: wholeOf('users-per-worker', usersPerWorker, 1), minWorkers, maxWorkers };
}

function sizeOf({ cpu: cpuText, memory }: WorkerValues): TaskSize | undefined {
  if (cpuText === undefined) {
    if (memory === undefined) return undefined;
    throw new UsageError('--memory: which memory Fargate has depends on the processors: give --cpu, too');
  }
  const cpu = wholeOf('cpu', cpuText, 1);
  if (!FARGATE_CPUS.includes(cpu))
    throw new UsageError(`--cpu must be one of ${FARGATE_CPUS.join(', ')} processor units, got "${cpuText}"`);
  const memoryMb = wholeOf('memory', memory, usualMemoryFor(cpu));
  const memories = memoriesFor(cpu);
  if (!memories.includes(memoryMb))
    throw new UsageError(`--memory must be one of ${memories.join(', ')} MB for --cpu ${cpu}, got "${memoryMb}"`);
  return { cpu, memoryMb };
}

const MOST_CONNECTIONS = 10_000;

/** Reads `--connections`, which is of each user of k6, or of the Node service where turns go through one. @throws UsageError */
export function connectionsOf(text: string | undefined, via: Mode): number | undefined {
  if (text !== '0') return text === undefined ? undefined : wholeOf('connections', text, 1, MOST_CONNECTIONS);
  if (via === 'gateway') throw new UsageError('--connections 0: a Node service without a connection reaches nothing; 1 is the least');
  return 0;
}
