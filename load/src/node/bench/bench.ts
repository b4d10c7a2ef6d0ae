import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectorVariables } from '../../distributed/collector.js';
import { type ProcessUsage, watchProcess } from '../../distributed/process-usage.js';
import { findK6, type K6Binary } from '../k6-binary.js';
import { runK6 } from '../k6-process.js';
import { openSite } from '../site.js';
import type { Surroundings } from '../surroundings.js';
import { replayWrites } from './replaying-server.js';
import { acquireScript, bareScript, type Script } from './scripts.js';

/** What one kind of turn takes of k6. */
interface TurnCost {
  /** Of an acquire, or of the bare request. */
  readonly cpuUs: number;
  readonly mbPerUser: number;
}

/** The limiter's acquire beside the bare request that it cannot do without. */
export interface BenchResult {
  readonly bare: TurnCost;
  /** Each user is a limiter with one caller. */
  readonly acquire: TurnCost;
  /** Each user is a limiter with so many callers, each with a key of its own. */
  readonly shared: TurnCost & { readonly callers: number; readonly mbPerCaller: number };
  /** Of an acquire against the bare request. */
  readonly cpuRatio: number;
  readonly sharedCpuRatio: number;
}

/** How much is run. */
export interface BenchSizes {
  readonly turns: number;
  readonly users: number;
  /** How often CPU is measured; the least counts, as nothing makes a turn cheaper than it is. */
  readonly rounds: number;
}

/**
 * What an acquire may take of k6: 400 µs where the bare request takes 75, as on an idle machine of ours. Machines differ, and
 * shared ones from minute to minute, so it is the ratio that is judged.
 */
export const GOALS = { cpuRatio: 400 / 75, mbPerCaller: 0.6 } as const;

const FEW_USERS = 10;
const CALLERS = 10;
/** What is measured is a difference of two runs of seconds, so that a fiftieth of one may be missing. */
const LOOK_EVERY_MS = 20;
/** Turns of each user where memory is measured: the first opens the limiter and reads, the others find what it keeps. */
const TURNS_FOR_MEMORY = 3;

type Kind = 'bare' | 'acquire' | 'shared';

/**
 * Measures by difference, so that what k6 takes to start is in neither: many turns less few turns, many users less one. All
 * kinds take turns, and are answered at once by a process of its own that is not counted.
 */
export async function benchUser(sizes: BenchSizes, { env, say }: Surroundings): Promise<BenchResult> {
  if (process.platform !== 'linux') throw new Error('the bench reads what k6 takes from /proc, which is Linux only');
  const binary = await findK6(env, say);
  const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
  const site = await openSite({ env, table: 'millrace-load-bench', requestTimeoutMs: 30_000 });
  const server = await replayWrites(site.connection.endpoint);
  try {
    const place = { site, env, endpoint: server.endpoint, users: sizes.users };
    const scripts: Record<Kind, Script> = {
      bare: await bareScript(place),
      acquire: await acquireScript(place, 1),
      shared: await acquireScript(place, CALLERS),
    };
    const measure = (kind: Kind, users: number, turns: number): Promise<ProcessUsage> => {
      say(`${kind}: ${turns} turns of ${users} users`);
      return usageOf(binary, scripts[kind], { users, turns, folder });
    };
    const cpuUs: Record<Kind, number[]> = { bare: [], acquire: [], shared: [] };
    for (let round = 0; round < sizes.rounds; round += 1) {
      for (const kind of ['bare', 'acquire', 'shared'] as const) {
        const acquires = kind === 'shared' ? CALLERS : 1;
        const turns = Math.ceil(sizes.turns / acquires);
        const [few, many] = [await measure(kind, FEW_USERS, FEW_USERS), await measure(kind, FEW_USERS, turns)];
        cpuUs[kind].push(((many.cpuMs - few.cpuMs) * 1_000) / ((turns - FEW_USERS) * acquires));
      }
    }
    const costOf = async (kind: Kind): Promise<TurnCost> => {
      const one = await measure(kind, 1, TURNS_FOR_MEMORY);
      const crowd = await measure(kind, sizes.users, TURNS_FOR_MEMORY * sizes.users);
      return { cpuUs: Math.min(...cpuUs[kind]), mbPerUser: (crowd.peakMb - one.peakMb) / (sizes.users - 1) };
    };
    const [bare, acquire, shared] = [await costOf('bare'), await costOf('acquire'), await costOf('shared')];
    return {
      bare,
      acquire,
      shared: { ...shared, callers: CALLERS, mbPerCaller: shared.mbPerUser / CALLERS },
      cpuRatio: acquire.cpuUs / bare.cpuUs,
      sharedCpuRatio: shared.cpuUs / bare.cpuUs,
    };
  } finally {
    await server.close();
    await site.close(false);
    await rm(folder, { recursive: true });
  }
}

async function usageOf(
  binary: K6Binary,
  { file, env, callers }: Script,
  { users, turns, folder }: { readonly users: number; readonly turns: number; readonly folder: string },
): Promise<ProcessUsage> {
  let usage: (() => ProcessUsage | undefined) | undefined;
  const end = await runK6({
    binary,
    script: file,
    args: ['--vus', `${users}`, '--iterations', `${turns}`, '--no-thresholds', '--summary-mode=disabled'],
    env: { ...env, ...collectorVariables({ users, callers }, env) },
    logFile: join(folder, 'k6.log'),
    timeoutMs: 600_000,
    onStart: (pid) => {
      usage = watchProcess(pid, LOOK_EVERY_MS);
    },
  });
  const taken = usage?.();
  if (end.code !== 0 || taken === undefined) throw new Error(`k6 ended with ${end.code}: ${end.complaint}`);
  return taken;
}
