import { Limit, RateLimiter } from '@millrace/limiter';
import { createTable } from '@millrace/limiter/admin';
import { emfSink, reportLedger, reportMetrics } from '@millrace/limiter/metrics';
import { launchEngine } from '@millrace/testing';

const engine = await launchEngine(); // stands for DynamoDB
const { endpoint, region, credentials } = engine;
await createTable({ table: 'millrace', endpoint, region, credentials });
const limiter = await RateLimiter.open({ table: 'millrace', endpoint, region, credentials });

const sink = emfSink();
const reporter = reportMetrics(limiter, { sink }); // once a minute from now on

await limiter.limits.setResource('gpt-4', [Limit.perMinute('rpm', 3)]);
for (const rpm of [2, 1, 1]) await limiter.tryAcquire('key-1', 'gpt-4', { rpm });
await reporter.flush(); // in Lambda, before each invocation ends: no timer runs after it

// Where nothing is sealed, or to look at all that there is: into the metrics that the alarm on gaps watches.
await reportLedger(limiter, await limiter.usage.verify({ settleMs: 0 }), { sink });

await limiter.close(); // reports the rest
await engine.close();
