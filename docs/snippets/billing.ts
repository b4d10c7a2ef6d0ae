import { Limit, RateLimiter } from '@millrace/limiter';
import { createTable } from '@millrace/limiter/admin';
import { launchEngine } from '@millrace/testing';

const engine = await launchEngine(); // stands for DynamoDB
const { endpoint, region, credentials } = engine;
await createTable({ table: 'millrace', endpoint, region, credentials });
const limiter = await RateLimiter.open({
  ...{ table: 'millrace', endpoint, region, credentials },
  billing: { resources: ['gpt-4'], flushOn: ['SIGTERM'] },
});
await limiter.limits.setResource('gpt-4', [Limit.perMinute('tpm', 1_000)]);

// What a function runs for each of its events; a queue may deliver one twice.
const handler = limiter.withFlush(async (job: { readonly id: string; readonly user: string }) => {
  const options = { idempotencyKey: job.id, meta: { feature: 'summary' } };
  await limiter.withLease(
    job.user,
    'gpt-4',
    { tpm: 300 },
    async (lease) => {
      const answer = { id: 'answer-1', tokens: 250 };
      await lease.adjust({ tpm: answer.tokens - 300 });
      lease.annotate({ answer: answer.id });
    },
    options,
  );
});
await handler({ id: 'job-1', user: 'key-1' });
await handler({ id: 'job-1', user: 'key-1' });

const anHourAgo = new Date(Date.now() - 3_600_000);
const { events } = await limiter.usage.events({ entity: 'key-1', resource: 'gpt-4', from: anHourAgo, to: new Date(Date.now() + 1_000) });
for (const { idempotencyKey, amounts, meta } of events) console.log(idempotencyKey, amounts, meta);

await limiter.close();
await engine.close();
