import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkBooks, type Exactness } from '../plan/exactness.js';
import type { Figures } from '../plan/figures.js';
import type { Ledger } from '../plan/ledger.js';
import { RunProgress } from '../plan/live.js';
import { renderMarkdown } from '../plan/render.js';
import { type Report, reportOf } from '../plan/report.js';
import { worldOf } from '../plan/scenario.js';
import type { RunSettings } from '../plan/settings.js';
import { durationOf } from '../plan/shapes.js';
import type { RunCommand } from './arguments.js';
import { GATEWAY_TOKEN_VARIABLE } from './cloud-arguments.js';
import { cloudSettings, GATEWAY_SECRET } from './cloud-k6.js';
import { type Gateway, startGateway } from './gateway.js';
import { finishLedger, LedgerPump, openLedger } from './ledger-pump.js';
import type { LoadMaker, LoadTask, MadeLoad } from './load-maker.js';
import { resultsFolder } from './package-root.js';
import { prepared } from './prepared.js';
import { readBooks } from './read-books.js';
import { RunningNote } from './running.js';
import { furnish, type Site } from './site.js';
import type { Surroundings } from './surroundings.js';

const SHOW_EVERY_MS = 1_000;

/** A run that has ended, and where its files are. */
export interface EndedRun {
  readonly report: Report;
  readonly folder: string;
}

/**
 * Runs one scenario, wherever its load is made: a table, k6, and the table held against what k6 counted. Everything that it starts has
 * ended when it returns or throws.
 *
 * @throws NoK6 without a k6; whatever keeps a table from being made
 */
export async function runScenario(command: RunCommand, surroundings: Surroundings): Promise<EndedRun> {
  const { env, say } = surroundings;
  const run = nameOf(command.scenario.name);
  const folder = join(resultsFolder(command.results), run);
  const { site, maker } = await prepared(command, run, surroundings);
  let gateway: Gateway | undefined;
  let note: RunningNote | undefined;
  let ledger: LedgerPump | string | undefined;
  try {
    say(`${site.engine} at ${site.connection.endpoint}, table ${site.table}`);
    await mkdir(folder, { recursive: true });
    const { place, stack } = command;
    note = await RunningNote.open(folder, { run, place, ...(stack === undefined ? {} : { stack }) });
    const planned = settingsOf(command, run, site);
    await furnish(site.limiter, worldOf(command.scenario, planned));
    if (command.via === 'gateway' || command.scenario.manages === true) gateway = await gatewayFor(command, site, env);
    const settings = gateway === undefined ? planned : { ...planned, gateway: command.cloud?.gateway ?? gateway.url };

    const startedAtMs = Date.now();
    const arrival = command.scenario.arrival(settings);
    const durationMs = durationOf(arrival);
    say(`${command.scenario.name} for ${durationMs / 1_000} s`);
    if (command.ledger) ledger = await openLedger(site, durationMs);
    const made = await watched(maker, { settings, site, folder, arrival, durationMs, gateway: gateway?.meter }, note, surroundings);
    const report = await judged({ command, settings, site, made, runtime: maker.runtime, startedAtMs, gateway, ledger });
    await Promise.all([
      writeFile(join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`),
      writeFile(join(folder, 'report.md'), renderMarkdown(report)),
    ]);
    return { report, folder };
  } finally {
    note?.close();
    if (ledger instanceof LedgerPump) ledger.close();
    await gateway?.close();
    await site.close(command.keep);
  }
}

/** Makes the load, and says once a second how far it has come. */
async function watched(
  maker: LoadMaker,
  task: Omit<LoadTask, 'begins' | 'heard' | 'started' | 'signal'>,
  note: RunningNote,
  { show, signal }: Surroundings,
): Promise<MadeLoad> {
  const progress = new RunProgress(task.durationMs, Date.now());
  const showing = setInterval(() => show?.(progress.text(Date.now())), SHOW_EVERY_MS);
  try {
    return await maker.make({
      ...task,
      begins: (atMs) => progress.begins(atMs),
      heard: (live) => progress.heard(live, Date.now()),
      started: (pid, what) => void note.add(pid, what),
      signal: signal ?? new AbortController().signal,
    });
  } finally {
    clearInterval(showing);
  }
}

/** A service of this machine; for users of the cloud one that is open to all who show the token. */
function gatewayFor({ cloud }: RunCommand, { limiter }: Site, env: NodeJS.ProcessEnv): Promise<Gateway> {
  if (cloud === undefined) return startGateway(limiter);
  return startGateway(limiter, { host: '0.0.0.0', port: cloud.gatewayPort, token: env[GATEWAY_TOKEN_VARIABLE] ?? '' });
}

/** The scenario and the time, and four digits so that two of one second differ. */
function nameOf(scenario: string): string {
  const time = new Date()
    .toISOString()
    .replace(/[-:]|\..*/g, '')
    .replace('T', '-');
  return `${scenario}-${time}-${randomBytes(2).toString('hex')}`;
}

function settingsOf(command: RunCommand, run: string, site: Site): RunSettings {
  const { scenario, via, users, perSecond, durationMs, cascade, callers, requestTimeoutMs, acquireP95Ms, shape, connections } = command;
  return {
    scenario: scenario.name,
    mode: via,
    run,
    table: site.table,
    namespace: site.namespace,
    endpoint: site.connection.endpoint,
    region: site.connection.region,
    users,
    ...(perSecond === undefined ? {} : { perSecond }),
    durationMs,
    cascade,
    callers,
    ...(connections === undefined ? {} : { connections }),
    requestTimeoutMs,
    ...(acquireP95Ms === undefined ? {} : { acquireP95Ms }),
    ...(shape === undefined ? {} : { shape }),
    ...(command.cloud === undefined ? {} : { cloud: cloudSettings(command.cloud, run), gatewaySecret: GATEWAY_SECRET }),
  };
}

interface Ended {
  readonly command: RunCommand;
  readonly settings: RunSettings;
  readonly site: Site;
  readonly made: MadeLoad;
  readonly runtime: string;
  readonly startedAtMs: number;
  readonly gateway: Gateway | undefined;
  /** Or why there is none; undefined where none is wanted. */
  readonly ledger: LedgerPump | string | undefined;
}

async function judged({ command, settings, site, made, runtime, startedAtMs, gateway, ledger: kept }: Ended): Promise<Report> {
  const endMs = Date.now();
  const figures = withCosts(made.figures, gateway);
  const notes = [...made.notes];
  if (gateway !== undefined) notes.push(gateway.describe());
  const ledger = await finishLedger(kept, (why) => void notes.push(`the usage ledger was not judged: ${why}`));
  const exactness = await exactnessOf(command, settings, site, figures, endMs, ledger).catch((error: Error) => {
    notes.push(`the table could not be read: ${error.message}`);
    return undefined;
  });
  const isChecked = exactness !== undefined && (ledger !== undefined || !command.ledger || isForeign(command));
  return reportOf({
    scenario: command.scenario,
    settings,
    runtime,
    startedAtMs,
    figures,
    ...(exactness === undefined ? {} : { exactness }),
    notes,
    usage: made.usage,
    // What nobody could check did not pass; but a DynamoDB that is not ours need not have a stream that can be read.
    extent: made.extent === 'whole' && !isChecked ? 'broken' : made.extent,
  });
}

async function exactnessOf(
  { scenario }: RunCommand,
  settings: RunSettings,
  site: Site,
  figures: Figures,
  endMs: number,
  ledger: Ledger | undefined,
): Promise<Exactness> {
  const world = worldOf(scenario, settings);
  const books = await readBooks(site, world, endMs);
  const mayOwe = scenario.mayOwe === true;
  return checkBooks(books, { world, figures, endMs, mayOwe, ...(ledger === undefined ? {} : { ledger }) });
}

function isForeign({ endpoint, stack }: RunCommand): boolean {
  return endpoint !== undefined || stack !== undefined;
}

/** k6 knows what its own users have asked DynamoDB for; what the Node service has is added. */
function withCosts(figures: Figures, gateway: Gateway | undefined): Figures {
  if (gateway === undefined) return figures;
  const counts: Record<string, number> = { ...figures.counts };
  for (const [name, count] of Object.entries(gateway.costs())) counts[name] = (counts[name] ?? 0) + count;
  return { ...figures, counts };
}
