import { randomUUID } from 'node:crypto';
import { bucketName, parseBucketKey } from '@millrace/core';
import { type Lease, Limit, RateLimiter } from '@millrace/limiter';
import { createTable } from '@millrace/limiter/admin';
import { EngineStream, FakeRuntime, type LambdaStreamRecord, launchEngine, StreamPump } from '@millrace/testing';
import { itemName } from './lagging-stream.js';

/** Between two rounds, in each of which every bucket is written to once: 5,000 writes to 37 buckets take ten days. */
const ROUND_MS = 105 * 60_000;
/** A Friday; a week and a month end in the ten days that follow. */
const START_MS = Date.UTC(2027, 9, 22, 9, 17, 3);
const LIMITS = [Limit.perMinute('rpm', 60_000), Limit.perMinute('tpm', 6_000_000)];
/** A busy machine must not look like a fault: one write for each deed. */
const CALM = { requestTimeoutMs: 30_000, deadlineMs: 60_000, maxShards: 1, clockCorrection: false };

type Tokens = Readonly<Record<string, number>>;

/** What a caller did at a moment: tokens that it took, or gave back. */
export interface Deed {
  readonly entity: string;
  readonly resource: string;
  readonly atMs: number;
  readonly used: Tokens;
  readonly returned: Tokens;
}

/** Records of a stream, and what the callers say that they did: a deed for each record. */
export interface Recorded {
  readonly records: readonly LambdaStreamRecord[];
  readonly deeds: readonly Deed[];
}

interface Caller {
  readonly entity: string;
  readonly resource: string;
  readonly deeds: Deed[];
  lease: Lease | undefined;
}

/**
 * Has the limiter take, correct and give back tokens of buckets on an engine, so many times, and reads the engine's own
 * stream of it. The limiter's clock is moved on between rounds; the engine's cannot be, so each record gets the time of its deed.
 */
export async function recordStream(count: number, buckets: number): Promise<Recorded> {
  await using engine = await launchEngine();
  const { endpoint, region, credentials } = engine;
  const connection = { table: `millrace-${randomUUID()}`, endpoint, region, credentials };
  await createTable(connection);
  const runtime = new FakeRuntime({ nowMs: START_MS });
  const limiter = await RateLimiter.open({ ...connection, clock: runtime.clock, ...CALM });
  const callers = Array.from({ length: buckets }, (_, index): Caller => {
    return { entity: `key/${index % 9}`, resource: `model ${Math.floor(index / 9)}`, deeds: [], lease: undefined };
  });
  for (let left = count; left > 0; left -= buckets) {
    await Promise.all(callers.slice(0, left).map((caller) => actOnce(limiter, caller, runtime)));
    runtime.advance(ROUND_MS);
  }
  await limiter.close();

  const source = await EngineStream.open(engine, connection.table);
  const records: LambdaStreamRecord[] = [];
  await new StreamPump({ source, handler: async ({ Records }) => void records.push(...Records), batchSize: 1_000 }).drain();
  source.close();
  return { records: atTheTimeOfDeeds(records, callers), deeds: callers.flatMap(({ deeds }) => deeds) };
}

/** One write to a bucket: a lease is taken, or the one that is held is corrected or given back. */
async function actOnce(limiter: RateLimiter, caller: Caller, { random, clock }: FakeRuntime): Promise<void> {
  const { entity, resource, deeds, lease } = caller;
  const note = (used: Tokens, returned: Tokens) => void deeds.push({ entity, resource, atMs: clock.nowMs(), used, returned });
  const [way, amount] = [random(), 1 + Math.floor(random() * 5_000)];
  if (lease === undefined) {
    caller.lease = await limiter.acquire(entity, resource, { rpm: 1, tpm: amount }, { limits: LIMITS });
    return note({ rpm: 1, tpm: amount }, {});
  }
  caller.lease = undefined;
  if (way < 0.3) {
    note({ tpm: amount }, {});
    await lease.adjust({ tpm: amount });
  } else if (way < 0.6) {
    const less = Math.ceil((lease.consumed['tpm'] ?? 0) * random());
    note({}, { tpm: less });
    await lease.adjust({ tpm: -less });
  } else {
    note({}, lease.consumed);
    return lease.release();
  }
  return lease.commit();
}

/**
 * The records of buckets, each at the time of its deed: the n-th record of a bucket is of its caller's n-th. Those of one
 * round are in the order of their buckets, so that a seed meets the same stream each time that it is run.
 */
function atTheTimeOfDeeds(records: readonly LambdaStreamRecord[], callers: readonly Caller[]): readonly LambdaStreamRecord[] {
  const deedsOf = new Map(callers.map(({ entity, resource, deeds }) => [`${entity} of ${resource}`, deeds.values()]));
  const timed = records.flatMap((record) => {
    const { PK: partition, SK: sort } = record.dynamodb.Keys as Record<string, { readonly S: string }>;
    const ref = parseBucketKey(partition?.S ?? '', sort?.S ?? '');
    if (ref === undefined) return [];
    const { value: deed } = deedsOf.get(`${ref.entity} of ${ref.resource}`)?.next() ?? {};
    if (deed === undefined) throw new Error(`${bucketName(ref)} has more records than deeds`);
    return [{ atMs: deed.atMs, record: fixed(record, ref.namespaceId, deed.atMs) }];
  });
  return timed.sort((a, b) => a.atMs - b.atMs || (itemName(a.record) < itemName(b.record) ? -1 : 1)).map(({ record }) => record);
}

/** A record at a moment, in a namespace whose id is no matter of chance. */
function fixed(record: LambdaStreamRecord, namespaceId: string, atMs: number): LambdaStreamRecord {
  const named = JSON.parse(JSON.stringify(record).replaceAll(`"${namespaceId}/`, '"n1/')) as LambdaStreamRecord;
  return { ...named, dynamodb: { ...named.dynamodb, ApproximateCreationDateTime: Math.floor(atMs / 1_000) } };
}
