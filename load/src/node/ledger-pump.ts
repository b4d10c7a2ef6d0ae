import { setTimeout as sleep } from 'node:timers/promises';
import { findGaps, totalUsage, type UsageWindowItem } from '@millrace/ledger';
import { EngineStream, type LocalEngine, MemoryWindowStore, StreamPump } from '@millrace/testing';
import type { Ledger } from '../plan/ledger.js';
import { type Aggregator, loadAggregator } from './aggregator.js';
import type { Site } from './site.js';

/** Runs longer than this are read along: a stream keeps a day, and nobody wants to wait for hours of records at the end. */
const ALONGSIDE_FROM_MS = 600_000;
/** How long a pump beside a run waits where there is nothing to read. */
const IDLE_MS = 2_000;
/** Nobody waits longer for a stream that does not end. */
const DEADLINE_MS = 600_000;
const BATCH_SIZE = 1_000;

/**
 * The usage ledger of a run: the aggregator's own function behind the table's stream, as it is deployed, but for its windows,
 * which stay in memory, so that it writes nothing to the table that is measured.
 */
export class LedgerPump {
  readonly #source: EngineStream;
  readonly #pump: StreamPump;
  readonly #windows = new MemoryWindowStore();
  readonly #stop = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  #unread = 0;

  private constructor(source: EngineStream, { makeHandler, STREAM_FILTERS }: Aggregator) {
    this.#source = source;
    const handler = makeHandler({
      windows: this.#windows,
      zones: { zoneOf: async () => 'UTC' },
      metrics: { figures: () => undefined, trouble: () => undefined },
      clock: { nowMs: Date.now },
      options: { windowTypes: ['hour'] },
    });
    this.#pump = new StreamPump({
      source,
      handler,
      filters: STREAM_FILTERS,
      batchSize: BATCH_SIZE,
      timeoutMs: DEADLINE_MS,
      // What cannot be read now cannot be read later.
      maximumRetryAttempts: 0,
      onFailure: ({ DDBStreamBatchInfo: { batchSize } }) => {
        this.#unread += batchSize;
      },
    });
  }

  /** Finds the table's stream, and begins to read it where the run is a long one. An `Error` where there is no stream to read. */
  static async open(
    connection: Pick<LocalEngine, 'endpoint' | 'region' | 'credentials'>,
    table: string,
    durationMs: number,
  ): Promise<LedgerPump> {
    const pump = new LedgerPump(await EngineStream.open(connection, table), await loadAggregator());
    if (durationMs >= ALONGSIDE_FROM_MS) pump.#runAlongside();
    return pump;
  }

  /** Reads to the end of the stream, once nothing is written any more. */
  async finish(): Promise<Ledger> {
    this.#stop.abort();
    await this.#running;
    await beforeDeadline(this.#pump.drain());
    const windows = this.#windows.windows();
    return { books: booksOf(windows), gaps: findGaps(windows).length, unread: this.#unread };
  }

  close(): void {
    this.#stop.abort();
    this.#source.close();
  }

  #runAlongside(): void {
    const { signal } = this.#stop;
    const idle = (): Promise<unknown> => sleep(IDLE_MS, undefined, { signal }).catch(() => undefined);
    // What fails in between is tried again at the end, and told then.
    this.#running = this.#pump.run(signal, idle).catch(() => undefined);
  }
}

/** The ledger of a run's own table, or why there is none. */
export async function openLedger(
  { connection, table }: Pick<Site, 'connection' | 'table'>,
  durationMs: number,
): Promise<LedgerPump | string> {
  const { credentials } = connection;
  // The table of a rig outlives the run, is loaded by others too, and has an aggregator of its own.
  if (credentials === undefined) return "the table is a rig's, whose own aggregator keeps the ledger";
  return LedgerPump.open({ ...connection, credentials }, table, durationMs).catch(({ message }: Error) => message);
}

/** What the ledger says; undefined where there is none, and then `say` hears why, unless none was wanted. */
export async function finishLedger(kept: LedgerPump | string | undefined, say: (why: string) => void): Promise<Ledger | undefined> {
  if (typeof kept === 'string') say(kept);
  if (!(kept instanceof LedgerPump)) return undefined;
  return kept.finish().catch(({ message }: Error) => {
    say(message);
    return undefined;
  });
}

async function beforeDeadline(work: Promise<void>): Promise<void> {
  const timer = new AbortController();
  const late = sleep(DEADLINE_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`the stream was not read to its end in ${DEADLINE_MS / 1_000} s`);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    timer.abort();
    late.catch(() => undefined);
  }
}

/** The windows of each bucket together, all of its items and eras. */
function booksOf(windows: readonly UsageWindowItem[]): Ledger['books'] {
  const byBucket = new Map<string, { readonly entity: string; readonly resource: string; readonly windows: UsageWindowItem[] }>();
  for (const window of windows) {
    const { entity, resource } = window.ref.bucket;
    const name = JSON.stringify([entity, resource]);
    const known = byBucket.get(name);
    if (known === undefined) byBucket.set(name, { entity, resource, windows: [window] });
    else known.windows.push(window);
  }
  return [...byBucket.values()].flatMap(({ entity, resource, windows: own }) =>
    [...totalUsage(own)].map(([limit, { net }]) => ({ entity, resource, limit, net: Number(net) })),
  );
}
