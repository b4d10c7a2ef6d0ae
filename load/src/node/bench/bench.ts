import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bucketWriteRequest } from '@millrace/core';
import { SCENARIOS } from '../../../scenarios/index.js';
import { type ProcessUsage, watchProcess } from '../../distributed/process-usage.js';
import { USER_PLACE } from '../../plan/bare.js';
import { worldOf } from '../../plan/scenario.js';
import { type RunSettings, SETTINGS_VARIABLE, settingsText } from '../../plan/settings.js';
import { bundle, bundleScenario } from '../bundle.js';
import { findK6, type K6Binary } from '../k6-binary.js';
import { runK6 } from '../k6-process.js';
import { keysOf } from '../one-k6.js';
import { furnish, openSite, type Site } from '../site.js';
import type { Surroundings } from '../surroundings.js';

/** What one kind of turn takes of k6. */
interface TurnCost {
  readonly cpuUs: number;
  readonly mbPerUser: number;
}

/** The limiter's acquire beside the bare request that it cannot do without. */
export interface BenchResult {
  readonly acquire: TurnCost;
  readonly bare: TurnCost;
  readonly cpuRatio: number;
  readonly memoryRatio: number;
}

/** How much is run. */
export interface BenchSizes {
  readonly turns: number;
  readonly users: number;
}

/** What a virtual user may take. */
export const GOALS = { cpuUs: 400, mbPerUser: 0.6 } as const;

const SCENARIO = 'max-rps';
const FEW_USERS = 10;
/** What is measured is a difference of two runs of seconds, so that a fiftieth of one may be missing. */
const LOOK_EVERY_MS = 20;

interface Script {
  readonly file: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Measures by difference, so that what k6 takes to start is in neither: many turns less few turns, many users less one. Both
 * kinds run on the same engine, which is a process of its own and is not counted.
 */
export async function benchUser(sizes: BenchSizes, { env, say }: Surroundings): Promise<BenchResult> {
  if (process.platform !== 'linux') throw new Error('the bench reads what k6 takes from /proc, which is Linux only');
  const binary = await findK6(env, say);
  const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
  const site = await openSite({ env, table: 'millrace-load-bench', requestTimeoutMs: 30_000 });
  try {
    const scripts = { acquire: await acquireScript(site, env, sizes), bare: await bareScript(site, env) };
    const costs: Record<keyof typeof scripts, TurnCost> = { acquire: { cpuUs: 0, mbPerUser: 0 }, bare: { cpuUs: 0, mbPerUser: 0 } };
    for (const kind of ['bare', 'acquire'] as const) {
      const measure = (users: number, turns: number): Promise<ProcessUsage> => {
        say(`${kind}: ${turns} turns of ${users} users`);
        return usageOf(binary, scripts[kind], { users, turns, folder });
      };
      const few = await measure(FEW_USERS, FEW_USERS);
      const many = await measure(FEW_USERS, sizes.turns);
      const one = await measure(1, 3);
      const crowd = await measure(sizes.users, 3 * sizes.users);
      costs[kind] = {
        cpuUs: ((many.cpuMs - few.cpuMs) * 1_000) / (sizes.turns - FEW_USERS),
        mbPerUser: (crowd.peakMb - one.peakMb) / (sizes.users - 1),
      };
    }
    const { acquire, bare } = costs;
    return { acquire, bare, cpuRatio: acquire.cpuUs / bare.cpuUs, memoryRatio: acquire.mbPerUser / bare.mbPerUser };
  } finally {
    await site.close(false);
    await rm(folder, { recursive: true });
  }
}

async function usageOf(
  binary: K6Binary,
  { file, env }: Script,
  { users, turns, folder }: { readonly users: number; readonly turns: number; readonly folder: string },
): Promise<ProcessUsage> {
  let usage: (() => ProcessUsage | undefined) | undefined;
  const end = await runK6({
    binary,
    script: file,
    args: ['--vus', `${users}`, '--iterations', `${turns}`, '--no-thresholds', '--summary-mode=disabled'],
    env,
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

async function acquireScript(site: Site, env: NodeJS.ProcessEnv, { users }: BenchSizes): Promise<Script> {
  const scenario = SCENARIOS.find(({ name }) => name === SCENARIO);
  if (scenario === undefined) throw new Error(`there is no scenario "${SCENARIO}"`);
  const settings: RunSettings = {
    scenario: SCENARIO,
    mode: 'direct',
    run: 'bench',
    table: site.table,
    namespace: 'default',
    endpoint: site.connection.endpoint,
    region: site.connection.region,
    users,
    durationMs: 60_000,
    cascade: false,
    callers: 1,
    requestTimeoutMs: 30_000,
  };
  await furnish(site.limiter, worldOf(scenario, settings));
  return { file: await bundleScenario(SCENARIO, 'direct'), env: { ...env, ...keysOf(site), [SETTINGS_VARIABLE]: settingsText(settings) } };
}

async function bareScript(site: Site, env: NodeJS.ProcessEnv): Promise<Script> {
  const nowUs = Date.now() * 1_000;
  const write = bucketWriteRequest(site.table, {
    ref: { namespaceId: 'bare', entity: USER_PLACE, resource: 'api', shard: 0 },
    nowUs,
    ttlSec: Math.ceil(nowUs / 1e6) + 86_400,
    configVersion: 1,
    // Whatever is there, it is written again.
    moves: [{ form: 'idle', limit: 'rpm', tokens: 1, chargeUs: 1, toUs: 2 * nowUs }],
  });
  const file = await bundle(
    'bare',
    `import { bareOptions, bareTurn } from './src/k6/bare.ts';
     export const options = bareOptions;
     export default bareTurn(__ENV);`,
  );
  const { endpoint, region } = site.connection;
  return { file, env: { ...env, ...keysOf(site), BARE_ENDPOINT: endpoint, BARE_REGION: region, BARE_BODY: JSON.stringify(write) } };
}
