import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkBooks, type Exactness } from '../plan/exactness.js';
import type { Figures } from '../plan/figures.js';
import { renderMarkdown } from '../plan/render.js';
import { type Report, reportOf } from '../plan/report.js';
import { worldOf } from '../plan/scenario.js';
import { type RunSettings, SETTINGS_VARIABLE, settingsText } from '../plan/settings.js';
import { durationOf, GRACE_MS } from '../plan/shapes.js';
import type { LocalCommand } from './arguments.js';
import { bundleScenario } from './bundle.js';
import { type Gateway, startGateway } from './gateway.js';
import { findK6 } from './k6-binary.js';
import { K6_EXIT, type K6End, runK6 } from './k6-process.js';
import { PACKAGE_ROOT } from './package-root.js';
import { readBooks } from './read-books.js';
import { furnish, openSite, type Site } from './site.js';

/** What a run wants of its surroundings. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  /** Told what is being done. */
  readonly say: (text: string) => void;
}

/** A run that has ended, and where its files are. */
export interface EndedRun {
  readonly report: Report;
  readonly folder: string;
}

const NAMESPACE = 'default';
/** What k6 may take besides turns: to load, to end, to write its report. */
const K6_SLACK_MS = 60_000;

/**
 * Runs one scenario on this machine: a table, k6, and the table held against what k6 counted. Everything that it starts has
 * ended when it returns or throws.
 *
 * @throws NoK6 without a k6; whatever keeps a table from being made
 */
export async function runLocally(command: LocalCommand, { env, say }: Surroundings): Promise<EndedRun> {
  const binary = await findK6(env, say);
  const script = await bundleScenario(command.scenario.name, command.mode);
  const run = `${command.scenario.name}-${new Date()
    .toISOString()
    .replace(/[-:]|\..*/g, '')
    .replace('T', '-')}-${randomBytes(2).toString('hex')}`;
  const { endpoint, engine, requestTimeoutMs } = command;
  const site = await openSite({
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(engine === undefined ? {} : { engine }),
    env,
    table: `millrace-load-${run}`,
    requestTimeoutMs,
  });
  let gateway: Gateway | undefined;
  try {
    say(`${site.engine} at ${site.connection.endpoint}, table ${site.table}`);
    const folder = join(command.results ?? join(PACKAGE_ROOT, 'results'), run);
    await mkdir(folder, { recursive: true });
    const planned = settingsOf(command, run, folder, site);
    await furnish(site.limiter, worldOf(command.scenario, planned));
    if (command.mode === 'gateway' || command.scenario.manages === true) gateway = await startGateway(site.limiter);
    const settings = gateway === undefined ? planned : { ...planned, gateway: gateway.url };

    const startedAtMs = Date.now();
    const durationMs = durationOf(command.scenario.arrival(settings));
    say(`k6 ${binary.version}: ${command.scenario.name} for ${durationMs / 1_000} s`);
    const end = await runK6({
      binary,
      script,
      args: [],
      env: k6Environment({ env, settings, site, folder, dashboard: command.dashboard }),
      logFile: join(folder, 'k6.log'),
      timeoutMs: durationMs + GRACE_MS + K6_SLACK_MS,
    });
    const report = await judged({ command, settings, site, end, startedAtMs, gateway });
    await Promise.all([
      writeFile(join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`),
      writeFile(join(folder, 'report.md'), renderMarkdown(report)),
    ]);
    return { report, folder };
  } finally {
    await gateway?.close();
    await site.close(command.keep);
  }
}

function settingsOf(command: LocalCommand, run: string, folder: string, site: Site): RunSettings {
  const { scenario, mode, users, perSecond, durationMs, cascade, callers, requestTimeoutMs, acquireP95Ms } = command;
  return {
    scenario: scenario.name,
    mode,
    run,
    table: site.table,
    namespace: NAMESPACE,
    endpoint: site.connection.endpoint,
    region: site.connection.region,
    users,
    ...(perSecond === undefined ? {} : { perSecond }),
    durationMs,
    cascade,
    callers,
    requestTimeoutMs,
    ...(acquireP95Ms === undefined ? {} : { acquireP95Ms }),
    figuresFile: join(folder, 'figures.json'),
  };
}

/** Keys go through the environment, which no archive and no report holds. */
function k6Environment(given: {
  readonly env: NodeJS.ProcessEnv;
  readonly settings: RunSettings;
  readonly site: Site;
  readonly folder: string;
  readonly dashboard: boolean;
}): NodeJS.ProcessEnv {
  const { accessKeyId, secretAccessKey, sessionToken } = given.site.connection.credentials;
  return {
    ...given.env,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken ?? '',
    [SETTINGS_VARIABLE]: settingsText(given.settings),
    ...(given.dashboard
      ? {
          K6_WEB_DASHBOARD: 'true',
          K6_WEB_DASHBOARD_EXPORT: join(given.folder, 'dashboard.html'),
          K6_WEB_DASHBOARD_PORT: '-1',
          K6_WEB_DASHBOARD_PERIOD: given.settings.durationMs < 120_000 ? '1s' : '10s',
        }
      : {}),
  };
}

interface Ended {
  readonly command: LocalCommand;
  readonly settings: RunSettings;
  readonly site: Site;
  readonly end: K6End;
  readonly startedAtMs: number;
  readonly gateway: Gateway | undefined;
}

async function judged({ command, settings, site, end, startedAtMs, gateway }: Ended): Promise<Report> {
  const endMs = Date.now();
  const figures = withCosts(await readFigures(settings.figuresFile ?? ''), gateway);
  const notes: string[] = [];
  const isWhole = end.code === K6_EXIT.ok || end.code === K6_EXIT.thresholdsFailed;
  if (!isWhole) notes.push(`k6 ended with ${end.code ?? 'a signal'}${end.complaint === undefined ? '' : `: ${end.complaint}`}`);
  if (gateway !== undefined) notes.push(gateway.describe());
  const exactness = await exactnessOf(command, settings, site, figures, endMs).catch((error: Error) => {
    notes.push(`the table could not be read: ${error.message}`);
    return undefined;
  });
  return reportOf({
    scenario: command.scenario,
    settings,
    runtime: 'local',
    startedAtMs,
    figures,
    ...(exactness === undefined ? {} : { exactness }),
    notes,
    // What nobody could check did not pass.
    isWhole: isWhole && exactness !== undefined,
  });
}

async function exactnessOf(
  { scenario }: LocalCommand,
  settings: RunSettings,
  { connection, table }: Site,
  figures: Figures,
  endMs: number,
): Promise<Exactness> {
  const world = worldOf(scenario, settings);
  const books = await readBooks(connection, table, world, endMs);
  return checkBooks(books, { world, figures, endMs, mayOwe: scenario.mayOwe === true });
}

/** k6 knows what its own users have asked DynamoDB for; what the Node service has is added. */
function withCosts(figures: Figures, gateway: Gateway | undefined): Figures {
  if (gateway === undefined) return figures;
  const counts: Record<string, number> = { ...figures.counts };
  for (const [name, count] of Object.entries(gateway.costs())) counts[name] = (counts[name] ?? 0) + count;
  return { ...figures, counts };
}

/** What k6 wrote at its end; nothing where it did not come so far. */
async function readFigures(file: string): Promise<Figures> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Figures;
  } catch {
    return { durationMs: 0, series: {}, counts: {}, rates: {} };
  }
}
