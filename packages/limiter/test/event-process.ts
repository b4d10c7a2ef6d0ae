import { Limit, RateLimiter, type RateLimiterOptions } from '@millrace/limiter';

/** What a process that records is told. */
export interface RecordTask {
  readonly options: RateLimiterOptions;
  /** Idempotency keys, one lease for each. */
  readonly keys: readonly string[];
  /** Whether the process has a listener of its own, which closes the limiter and ends with 7. */
  readonly listens: boolean;
}

const limits = [Limit.perMinute('rpm', 1_000)];

process.once('message', async ({ options, keys, listens }: RecordTask) => {
  const limiter = await RateLimiter.open(options);
  if (listens) process.once('SIGTERM', () => void limiter.close().then(() => process.exit(7)));
  for (const idempotencyKey of keys) {
    await limiter.withLease('key-1', 'billed', { rpm: 1 }, () => undefined, { limits, idempotencyKey });
  }
  process.send?.('committed');
  // It lives until a signal ends it.
  setInterval(() => undefined, 1_000);
});
