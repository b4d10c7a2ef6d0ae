import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { RateLimiter } from '@millrace/limiter';
import { createTable, deleteTable, type TableOptions } from '@millrace/limiter/admin';
import { launchEngine } from '@millrace/testing';
import { driveClients } from './client.js';
import { openGateway } from './gateway.js';
import { Ledger } from './ledger.js';
import { readLedger } from './ledger-books.js';
import { LiveLedger } from './live-ledger.js';
import { modelStub } from './model-stub.js';
import { API_KEYS, MEMBERS, MODEL, PROJECTS } from './organisation.js';
import type { Progress } from './progress.js';
import { findPrompts } from './prompts.js';
import { type RunReport, reportOn } from './report.js';
import { readBooks } from './table-books.js';
import { Tally } from './tally.js';
import { ENCODING } from './tokens.js';
import { WitnessedLimiter } from './witnessed-limiter.js';

/** How the demo is run. */
export interface DemoOptions {
  /** How long clients call. */
  readonly seconds: number;
  readonly progress: Progress;
  /** Ends the run before its time, once everything is cleaned up. */
  readonly signal: AbortSignal;
}

const STORE_FOLDER = fileURLToPath(new URL('../../../node_modules/.pnpm', import.meta.url));
const MODEL_FAILS_EVERY = 12;
/** The engine may share one slow processor with the clients: a late answer is no lost one. */
const REQUEST_TIMEOUT_MS = 10_000;
const DEADLINE_MS = 20_000;

/** Runs the whole demo and cleans up behind itself; throws the signal's reason if that ended it. */
export async function runDemo({ seconds, progress, signal }: DemoOptions): Promise<RunReport> {
  const prompts = await findPrompts(STORE_FOLDER);
  await using engine = await launchEngine();
  signal.throwIfAborted();
  const connection = { endpoint: engine.endpoint, region: engine.region, credentials: engine.credentials };
  await using table = await temporaryTable({ ...connection, table: `millrace-demo-${randomUUID().slice(0, 8)}` });
  // One clock to judge by and to check by: finer than a millisecond, and nobody sets it during the run.
  const nowMs = (): number => performance.timeOrigin + performance.now();
  await using limiter = await RateLimiter.open({
    ...connection,
    table: table.name,
    clock: { nowMs },
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    deadlineMs: DEADLINE_MS,
  });
  await using usageLedger = await LiveLedger.open(engine, table.name);
  for (const { id, parent, limits } of MEMBERS) {
    await limiter.entities.create(id, parent === undefined ? {} : { parent, cascade: true });
    await limiter.limits.setEntity(id, MODEL, limits);
  }

  const ledger = new Ledger();
  const witnessed = new WitnessedLimiter(limiter, ledger, nowMs);
  await using gateway = await openGateway(witnessed, modelStub(MODEL_FAILS_EVERY));
  progress.say(`engine    ${engine.name} at ${engine.endpoint}, table ${table.name}`);
  progress.say(`gateway   ${gateway.url}, in front of ${MODEL} (a stub that takes its time)`);
  progress.say(`prompts   ${prompts.length} READMEs from node_modules, tokens counted with ${ENCODING}`);
  progress.say("ledger    booked live from the table's stream, by the aggregator as it is deployed");
  progress.say(`callers   ${API_KEYS.length} API keys in ${PROJECTS.length} projects of one organisation, for ${seconds} s\n`);

  const tally = new Tally();
  const statsBefore = limiter.stats();
  const startedMs = nowMs();
  {
    using time = timeUp(seconds * 1000, signal);
    using _status = progress.watch(() => statusLine(tally, (nowMs() - startedMs) / 1000));
    await driveClients(API_KEYS, { url: gateway.url, prompts, tally, nowMs, stop: time.signal });
  }
  signal.throwIfAborted();
  const elapsedMs = nowMs() - startedMs;
  const statsAfter = limiter.stats();
  const entities = MEMBERS.map(({ id }) => id);
  const books = await readBooks(connection, table.name, entities, MODEL);
  const aggregator = await usageLedger.finish();
  const ledgerBooks = await readLedger(limiter, entities, MODEL, nowMs());
  return reportOn({ elapsedMs, tally, ledger, leases: witnessed.counts, books, ledgerBooks, aggregator, statsBefore, statsAfter });
}

/** A signal for when the time is up, or `sooner` was. Node 20 may collect an `AbortSignal.timeout` that only `any` knows. */
function timeUp(ms: number, sooner: AbortSignal): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const timer = setTimeout(abort, ms);
  sooner.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(timer);
      sooner.removeEventListener('abort', abort);
    },
  };
}

/** A table for as long as it is held. It is deleted even though the engine forgets it: the engine may be somebody else's. */
async function temporaryTable(options: TableOptions): Promise<AsyncDisposable & { readonly name: string }> {
  await createTable(options);
  return { name: options.table, [Symbol.asyncDispose]: () => deleteTable(options) };
}

function statusLine(tally: Tally, elapsedSec: number): string {
  const count = (value: number): string => value.toLocaleString('en');
  return [
    `${elapsedSec.toFixed(0).padStart(3)} s`,
    `${count(tally.total('answered')).padStart(5)} answered`,
    `${count(tally.refused.answers).padStart(5)} refused (429)`,
    `${count(tally.total('failed')).padStart(3)} failed`,
    `${count(tally.total('tokensUsed')).padStart(9)} tokens`,
  ].join('  ');
}
