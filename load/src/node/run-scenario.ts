import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkBooks, type Exactness } from '../plan/exactness.js';
import type { Figures } from '../plan/figures.js';
import type { Ledger } from '../plan/ledger.js';
import { renderMarkdown } from '../plan/render.js';
import { type Report, reportOf } from '../plan/report.js';
import { worldOf } from '../plan/scenario.js';
import type { RunSettings } from '../plan/settings.js';
import { durationOf } from '../plan/shapes.js';
import type { RunCommand } from './arguments.js';
import { type Gateway, startGateway } from './gateway.js';
import { finishLedger, LedgerPump, openLedger } from './ledger-pump.js';
import type { MadeLoad } from './load-maker.js';
import { PACKAGE_ROOT } from './package-root.js';
import { prepared } from './prepared.js';
import { readBooks } from './read-books.js';
import { furnish, type Site } from './site.js';
import type { Surroundings } from './surroundings.js';

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
export async function runScenario(command: RunCommand, { env, say }: Surroundings): Promise<EndedRun> {
  const run = nameOf(command.scenario.name);
  const { site, maker } = await prepared(command, run, { env, say });
  let gateway: Gateway | undefined;
  let ledger: LedgerPump | string | undefined;
  try {
    say(`${site.engine} at ${site.connection.endpoint}, table ${site.table}`);
    const folder = join(command.results ?? join(PACKAGE_ROOT, 'results'), run);
    await mkdir(folder, { recursive: true });
    const planned = settingsOf(command, run, site);
    await furnish(site.limiter, worldOf(command.scenario, planned));
    if (command.via === 'gateway' || command.scenario.manages === true) gateway = await startGateway(site.limiter);
    const settings = gateway === undefined ? planned : { ...planned, gateway: gateway.url };

    const startedAtMs = Date.now();
    const durationMs = durationOf(command.scenario.arrival(settings));
    say(`${command.scenario.name} for ${durationMs / 1_000} s`);
    if (command.ledger) ledger = await openLedger(site, durationMs);
    const made = await maker.make({ settings, site, folder, durationMs });
    const report = await judged({ command, settings, site, made, runtime: maker.runtime, startedAtMs, gateway, ledger });
    await Promise.all([
      writeFile(join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`),
      writeFile(join(folder, 'report.md'), renderMarkdown(report)),
    ]);
    return { report, folder };
  } finally {
    if (ledger instanceof LedgerPump) ledger.close();
    await gateway?.close();
    await site.close(command.keep);
  }
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
  const { scenario, via, users, perSecond, durationMs, cascade, callers, requestTimeoutMs, acquireP95Ms, shape } = command;
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
    requestTimeoutMs,
    ...(acquireP95Ms === undefined ? {} : { acquireP95Ms }),
    ...(shape === undefined ? {} : { shape }),
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
  return reportOf({
    scenario: command.scenario,
    settings,
    runtime,
    startedAtMs,
    figures,
    ...(exactness === undefined ? {} : { exactness }),
    notes,
    // What nobody could check did not pass; but a DynamoDB that is not ours need not have a stream that can be read.
    isWhole: made.isWhole && exactness !== undefined && (ledger !== undefined || !command.ledger || isForeign(command)),
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
