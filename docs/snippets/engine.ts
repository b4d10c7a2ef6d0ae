import { Limit, RateLimiter } from '@millrace/limiter';
import { createTable } from '@millrace/limiter/admin';
import { launchEngine } from '@millrace/testing';

const engine = await launchEngine(); // one process that speaks DynamoDB, on a free port, gone with this program
const { endpoint, region, credentials } = engine;
await createTable({ table: 'millrace', endpoint, region, credentials });

const limiter = await RateLimiter.open({ table: 'millrace', endpoint, region, credentials });
const limits = [Limit.perMinute('rpm', 3)];
const verdicts = await Promise.all([1, 2, 3, 4].map(() => limiter.tryAcquire('key-1', 'gpt-4', { rpm: 1 }, { limits })));
console.log(verdicts.filter(({ allowed }) => allowed).length, 'of', verdicts.length);

await limiter.close();
await engine.close();
