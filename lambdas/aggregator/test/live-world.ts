import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { DynamoDBClient, GetItemCommand, paginateScan, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { PutEventsCommand, PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { awsHandler, environmentOf, type Handler } from '@millrace/aggregator-lambda';
import { namespaceFromItem, namespaceReadRequest, parseUsageKey, type WindowType, type WireItem } from '@millrace/core';
import { bundledProgram } from '@millrace/house';
import { totalUsage, type UsageWindowItem, windowFromItem } from '@millrace/ledger';
import { createTable } from '@millrace/limiter/admin';
import { EngineStream, type LaunchOptions, launchEngine, type StreamSource } from '@millrace/testing';
import type { CallersReport, CallersTask } from './caller-process.js';

const here = fileURLToPath(new URL('.', import.meta.url));

/** An archive that answers as S3 does to a PUT that must not overwrite. */
class MemoryBucket {
  readonly objects = new Map<string, string>();
  puts = 0;

  readonly fetch = (async (url: URL, init: RequestInit) => {
    this.puts += 1;
    if (!new Headers(init.headers).get('authorization')?.startsWith('AWS4-HMAC-SHA256 ')) return new Response('', { status: 403 });
    if (this.objects.has(url.pathname)) return new Response('<Code>PreconditionFailed</Code>', { status: 412 });
    this.objects.set(url.pathname, gunzipSync(init.body as Uint8Array).toString('utf8'));
    return new Response('');
  }) as typeof fetch;
}

/** A table on an engine of its own, with its stream, and the function as it is deployed, but for where it sends. */
export async function liveWorld(options: LaunchOptions = {}, variables: Readonly<Record<string, string>> = {}) {
  const engine = await launchEngine(options);
  const { endpoint, region, credentials } = engine;
  const connection = { table: `millrace-${randomUUID()}`, endpoint, region, credentials };
  await createTable(connection);
  const dynamo = new DynamoDBClient({ endpoint, region, credentials });
  const units = countUnits(dynamo);
  const source = await EngineStream.open(engine, connection.table);
  const bucket = new MemoryBucket();
  const lines: string[] = [];
  const events: PutEventsRequestEntry[] = [];
  const environment = environmentOf({ MILLRACE_TABLE: connection.table, AWS_REGION: region, ...variables });
  const handler: Handler = awsHandler(environment, {
    dynamo,
    fetch: bucket.fetch,
    eventBridge: {
      send: async ({ input }: PutEventsCommand) => ({ Entries: (input.Entries ?? []).map((entry) => events.push(entry) && {}) }),
    } as never,
    write: (line) => void lines.push(line),
  });
  return {
    connection,
    environment,
    dynamo,
    units,
    source,
    bucket,
    events,
    lines,
    handler,
    figures: (name: string) =>
      lines.map((line) => (JSON.parse(line) as Record<string, number>)[name]).filter((value) => value !== undefined),
    windows: () => windowsOf(dynamo, connection.table),
    async close() {
      source.close();
      dynamo.destroy();
      await engine.close();
    },
  };
}

/** The id of the namespace `default`. */
export async function namespaceId({
  dynamo,
  connection,
}: Pick<Awaited<ReturnType<typeof liveWorld>>, 'dynamo' | 'connection'>): Promise<string> {
  const { Item: item } = await dynamo.send(new GetItemCommand(namespaceReadRequest(connection.table, 'default')));
  return namespaceFromItem((item ?? {}) as WireItem).id;
}

/** A stream all of whose records are of one moment: no hour ends meanwhile, however long it takes. */
export function atOneMoment(source: StreamSource): StreamSource {
  const ApproximateCreationDateTime = Date.UTC(2027, 4, 13, 10, 20) / 1_000;
  return {
    shards: () => source.shards(),
    async read(shard, after, limit) {
      const { records, isEnd } = await source.read(shard, after, limit);
      return { records: records.map((record) => ({ ...record, dynamodb: { ...record.dynamodb, ApproximateCreationDateTime } })), isEnd };
    },
  };
}

/** Write units of the windows' updates; a refused condition costs one, too, and no engine says so. */
function countUnits(client: DynamoDBClient): { taken: number } {
  const units = { taken: 0 };
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (request) => {
        if (commandName !== UpdateItemCommand.name) return next(request);
        try {
          const answer = await next(request);
          units.taken += (answer.output as { ConsumedCapacity?: { CapacityUnits?: number } }).ConsumedCapacity?.CapacityUnits ?? Number.NaN;
          return answer;
        } catch (error) {
          units.taken += 1;
          throw error;
        }
      },
    { step: 'initialize' },
  );
  return units;
}

/** All windows that are in a table. */
export async function windowsOf(client: DynamoDBClient, table: string): Promise<readonly UsageWindowItem[]> {
  const windows: UsageWindowItem[] = [];
  for await (const page of paginateScan({ client }, { TableName: table, ConsistentRead: true })) {
    for (const item of page.Items ?? []) {
      if (parseUsageKey(item['PK']?.S ?? '', item['SK']?.S ?? '') !== undefined) windows.push(windowFromItem(item as WireItem));
    }
  }
  return windows;
}

/** What each entity used, by limit, in all windows of a type. */
export function booked(windows: readonly UsageWindowItem[], type: WindowType): Record<string, Record<string, number>> {
  const ofType = windows.filter(({ ref }) => ref.type === type);
  const entities = [...new Set(ofType.map(({ ref }) => ref.bucket.entity))].sort();
  return Object.fromEntries(
    entities.map((entity) => {
      const total = totalUsage(ofType.filter(({ ref }) => ref.bucket.entity === entity));
      return [entity, Object.fromEntries([...total].sort().map(([limit, { net }]) => [limit, Number(net)]))];
    }),
  );
}

/** Adds up what processes admit to, in the form of {@link booked}. */
export function admitted(reports: readonly CallersReport[]): Record<string, Record<string, number>> {
  const sums = new Map<string, Map<string, number>>();
  for (const [entity, limits] of reports.flatMap(({ kept }) => Object.entries(kept))) {
    const sum = sums.get(entity) ?? new Map<string, number>();
    for (const [limit, tokens] of Object.entries(limits)) sum.set(limit, (sum.get(limit) ?? 0) + tokens);
    sums.set(entity, sum);
  }
  return Object.fromEntries([...sums].sort().map(([entity, sum]) => [entity, Object.fromEntries([...sum].sort())]));
}

/** The program of a process of callers, as text: it is read from standard input, so that no file is written. */
export async function callersProgram(): Promise<string> {
  return bundledProgram(`${here}caller-process.ts`);
}

/** Runs callers in a process of its own. */
export function runCallers(program: string, task: CallersTask): Promise<CallersReport> {
  const folder = fileURLToPath(new URL('../../../packages/limiter/', import.meta.url));
  const child: ChildProcess = spawn(process.execPath, ['--input-type=module', '-'], {
    cwd: folder,
    stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
  });
  child.stdin?.end(program);
  return new Promise((resolve, reject) => {
    child.once('message', (report) => resolve(report as CallersReport));
    child.once('exit', (code) => reject(new Error(`a process of callers ended with ${code}`)));
    child.send(task);
  });
}
