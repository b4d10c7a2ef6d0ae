import { randomUUID } from 'node:crypto';
import { setTimeout as sleepFor } from 'node:timers/promises';
import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { awsHandler, environmentOf, STREAM_FILTERS } from '@millrace/aggregator-lambda';
import { parseUsageKey, WINDOW_TYPES, type WireItem } from '@millrace/core';
import { usageOf, windowFromItem } from '@millrace/ledger';
import { createTable } from '@millrace/limiter/admin';
import { type EngineName, EngineStream, installedEngines, launchEngine, type StreamHandler, StreamPump } from '@millrace/testing';
import { percentile } from '../../figures/percentile.js';
import { checkTotals, Sums, type Totals } from '../totals.js';
import { Sightings } from './sightings.js';
import { lagKey, type StartWriter, type Writer, type Written } from './writer.js';

/** What is offered. */
export interface LagOptions {
  readonly perSecond: number;
  readonly seconds: number;
  readonly keys: number;
  readonly writers: number;
  /** How long the pump waits for a batch to fill. @default 2 000, as the construct sets it */
  readonly batchWindowMs?: number;
}

/** How late the windows have what is written to buckets, of a stream on an engine. */
export interface LagRow {
  readonly server: string;
  readonly offeredPerSecond: number;
  /** What the engine and the writers did of it: a machine that is busy may take less than is offered. */
  readonly reachedPerSecond: number;
  readonly changes: number;
  readonly keys: number;
  /** Invocations of the function, the ones that warmed it up included. */
  readonly invocations: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly maxMs: number;
  /** Sums of windows that were compared with what was written. */
  readonly totalsChecked: number;
}

/** As the construct sets them, and how often Lambda looks at a shard. */
const MAPPING = { batchSize: 1_000, filters: STREAM_FILTERS };
const BATCH_WINDOW_MS = 2_000;
const POLL_MS = 250;
/** What keeps an engine's own faults from being taken for a lag: nothing is given up. */
const RETRIES = 100;
const QUICK: EngineName = 'extenddb';
/** After that what is not in the windows is taken for lost. */
const LONGEST_MS = 60_000;

/**
 * Has changes written at a pace, and brings them into the windows as they come: an engine's own stream, the pump in Lambda's
 * place, and the function as it is deployed. A change's lag is from when its write was sent to when the function had
 * answered for the batch that it is in, so both the write and the whole batch are in it.
 *
 * @throws WrongTotals if a write was shared, one is not in the windows, or a window has another sum than was written
 */
export async function measureLag(options: LagOptions, start: StartWriter, engineName?: EngineName): Promise<LagRow> {
  const { perSecond, seconds, keys, writers, batchWindowMs = BATCH_WINDOW_MS } = options;
  const chosen = engineName ?? (await quickEngine());
  const engine = await launchEngine(chosen === undefined ? {} : { engine: chosen });
  const { name: server, endpoint, region, credentials } = engine;
  const table = `lag-${randomUUID()}`;
  const client = new DynamoDBClient({ endpoint, region, credentials, maxAttempts: 1 });
  let [writer, source]: [Writer | undefined, EngineStream | undefined] = [undefined, undefined];
  try {
    await createTable({ table, endpoint, region, credentials });
    source = await EngineStream.open(engine, table);
    const sightings = new Sightings();
    const handler = sighted(
      awsHandler(environmentOf({ MILLRACE_TABLE: table, AWS_REGION: region }), { dynamo: client, write: () => undefined }),
      sightings,
    );
    const pump = new StreamPump({ ...MAPPING, batchWindowMs, source, handler, maximumRetryAttempts: RETRIES });
    const changes = perSecond * seconds;
    const opened = await start({ site: { endpoint, region, credentials }, table, perSecond, changes, keys, writers });
    writer = opened;
    await pump.drain();
    const written = await pumpedWhile(
      pump,
      () => opened.write(),
      () => sightings.count >= changes + keys,
    );
    const lagsMs = sightings.lagsMs(written);
    const expected = expectedSums(written);
    checkTotals('lag', expected, await windowSums(client, table));
    return {
      server,
      offeredPerSecond: perSecond,
      reachedPerSecond: (changes * 1_000) / written.elapsedMs,
      changes: lagsMs.length,
      keys,
      invocations: pump.invocations,
      p50Ms: percentile(lagsMs, 0.5),
      p95Ms: percentile(lagsMs, 0.95),
      maxMs: percentile(lagsMs, 1),
      totalsChecked: expected.size,
    };
  } finally {
    await writer?.[Symbol.asyncDispose]();
    source?.close();
    client.destroy();
    await engine.close();
  }
}

/** The engine that takes most writes for its CPU, if it is installed: with the others the engine is what is measured. */
async function quickEngine(): Promise<EngineName | undefined> {
  const installed = await installedEngines();
  return installed.find(({ name, available }) => name === QUICK && available)?.name;
}

/** The function, and a look at the clock behind it. */
function sighted(handler: StreamHandler, sightings: Sightings): StreamHandler {
  return async (event, context) => {
    const answer = await handler(event, context);
    sightings.note(event.Records, answer, Date.now());
    return answer;
  };
}

/** Polls as Lambda does while changes are written, and on in the same way until the windows have all of them. */
async function pumpedWhile(pump: StreamPump, write: () => Promise<Written>, isDone: () => boolean): Promise<Written> {
  const stop = new AbortController();
  const writeAndWait = async (): Promise<Written> => {
    try {
      const written = await write();
      const untilMs = performance.now() + LONGEST_MS;
      while (!isDone() && performance.now() < untilMs) await sleepFor(POLL_MS);
      return written;
    } finally {
      stop.abort();
    }
  };
  const [written] = await Promise.all([writeAndWait(), pump.run(stop.signal, () => sleepFor(POLL_MS))]);
  return written;
}

/** What the windows of each type must add up to, by key: one token for each change, and one for what it was warmed up with. */
function expectedSums({ sentAtMs }: Written): Totals {
  return new Map(sentAtMs.flatMap((sent, key) => WINDOW_TYPES.map((type) => [`${lagKey(key)} ${type}`, BigInt(sent.length + 1)])));
}

/** The same, as the table has it; an hour may end meanwhile, so windows are added up. */
async function windowSums(client: DynamoDBClient, table: string): Promise<Totals> {
  const sums = new Sums();
  for await (const page of paginateScan({ client }, { TableName: table, ConsistentRead: true })) {
    for (const item of page.Items ?? []) {
      if (parseUsageKey(item['PK']?.S ?? '', item['SK']?.S ?? '') === undefined) continue;
      const { ref, limits } = windowFromItem(item as WireItem);
      for (const step of limits.values()) sums.add(`${ref.bucket.entity} ${ref.type}`, usageOf(step).used);
    }
  }
  return sums.totals;
}
