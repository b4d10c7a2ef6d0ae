import { bucketWriteRequest } from '@millrace/core';
import { USER_PLACE } from '../../plan/bare.js';
import { ownKeys } from '../../plan/own-keys.js';
import { worldOf } from '../../plan/scenario.js';
import { type RunSettings, SETTINGS_VARIABLE, settingsText } from '../../plan/settings.js';
import { bundle } from '../bundle.js';
import { keysOf } from '../one-k6.js';
import { furnish, type Site } from '../site.js';

/** A bundled script and what it finds in its environment. */
export interface Script {
  readonly file: string;
  readonly env: NodeJS.ProcessEnv;
  /** In each user. */
  readonly callers: number;
}

/** Where scripts run. */
export interface Place {
  readonly site: Site;
  readonly env: NodeJS.ProcessEnv;
  /** Where requests go: to the site by the way that is measured. */
  readonly endpoint: string;
  /** The most there will be. */
  readonly users: number;
}

/** Users that are limiters with so many callers, each with a key of its own. Writes their limits. */
export async function acquireScript({ site, env, endpoint, users }: Place, callers: number): Promise<Script> {
  const settings: RunSettings = {
    scenario: ownKeys.name,
    mode: 'direct',
    run: 'bench',
    table: site.table,
    namespace: site.namespace,
    endpoint,
    region: site.connection.region,
    users,
    durationMs: 60_000,
    cascade: false,
    callers,
    requestTimeoutMs: 30_000,
  };
  await furnish(site.limiter, worldOf(ownKeys, settings));
  const file = await bundle(
    'own-keys.direct',
    `import { program } from './src/k6/program.ts';
     import { DirectSession } from './src/k6/direct-session.ts';
     import { ownKeys } from './src/plan/own-keys.ts';
     const made = program(ownKeys, (settings, meter, env) => new DirectSession(settings, meter, env));
     export const options = made.options;
     export default made.turn;`,
  );
  return { file, env: { ...env, ...keysOf(site), [SETTINGS_VARIABLE]: settingsText(settings) }, callers };
}

/** Users that send one signed write, and read its reply. */
export async function bareScript({ site, env, endpoint }: Place): Promise<Script> {
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
  const told = { BARE_ENDPOINT: endpoint, BARE_REGION: site.connection.region, BARE_BODY: JSON.stringify(write) };
  return { file, env: { ...env, ...keysOf(site), ...told }, callers: 1 };
}
