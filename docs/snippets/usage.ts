import { awsHandler, environmentOf, STREAM_FILTERS } from '@millrace/aggregator-lambda';
import { Limit, RateLimiter } from '@millrace/limiter';
import { createTable } from '@millrace/limiter/admin';
import { EngineStream, launchEngine, StreamPump } from '@millrace/testing';

const engine = await launchEngine(); // stands for DynamoDB
const { endpoint, region, credentials } = engine;
await createTable({ table: 'millrace', endpoint, region, credentials });
const root = await RateLimiter.open({ table: 'millrace', endpoint, region, credentials });
await root.namespaces.register('acme', { zone: 'Europe/Berlin' }); // where its days begin; it can never be changed
const limiter = await root.namespace('acme');

// The aggregator, as the construct puts it behind the table's stream. The pump stands for Lambda.
const environment = environmentOf({ MILLRACE_TABLE: 'millrace', AWS_REGION: region });
const handler = awsHandler(environment, { connection: { endpoint, region, credentials }, write: () => undefined }); // its metrics
const source = await EngineStream.open(engine, 'millrace');
const pump = new StreamPump({ source, handler, filters: STREAM_FILTERS });

await limiter.limits.setResource('gpt-4', [Limit.perMinute('tpm', 1_000)]);
await limiter.withLease('key-1', 'gpt-4', { tpm: 300 }, (lease) => lease.adjust({ tpm: -50 }));

// By now, from the buckets.
for (const { resource, limits } of await limiter.usage.current({ entity: 'key-1' })) {
  console.log(`${resource}: ${limits['tpm']?.net} used, about ${limits['tpm']?.available} left`);
}

// Books what is in the stream. To go on with it as it comes: pump.run(signal, () => sleep(100)).
await pump.drain();

// By hour, day, week or month, from the ledger: a page at a time, gaps filled.
const today = { entity: 'key-1', resource: 'gpt-4', type: 'hour', from: new Date(Date.now() - 86_400_000), to: new Date() } as const;
let after: string | undefined;
do {
  const page = await limiter.usage.snapshots({ ...today, fillGaps: true, ...(after === undefined ? {} : { after }) });
  console.log(`${page.snapshots.length} hours, ${page.snapshots.reduce((sum, { limits }) => sum + (limits['tpm']?.net ?? 0), 0)} booked`);
  after = page.next;
} while (after !== undefined);

// Altogether, and by whom.
const soon = new Date(Date.now() + 3_600_000);
const { resources } = await limiter.usage.summary({ entity: 'key-1', from: new Date('2026-01-01'), to: soon });
const top = await limiter.usage.top({ resource: 'gpt-4', type: 'day', start: new Date(), limitName: 'tpm', count: 3 });
console.log(resources['gpt-4']?.['tpm']?.net, 'altogether, most by', top.entities[0]?.entity);

// Whether to believe it.
const { clean, found, inFlight } = await limiter.usage.verify({ entity: 'key-1', settleMs: 0 });
console.log(clean ? 'whole' : found, 'and in flight:', inFlight.length);

source.close();
await root.close();
await engine.close();
