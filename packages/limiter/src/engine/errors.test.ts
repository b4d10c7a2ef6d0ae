import { MillraceError, StoreFailure } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { AcquireAborted, errorFor, isRateLimitExceeded, RateLimitExceeded, RateLimiterUnavailable } from './errors.js';

const status = {
  entity: 'key-1',
  resource: 'gpt-4',
  limit: 'rpm',
  capacity: 10,
  refill: 10,
  periodMs: 60_000,
  requested: 3,
  available: 1,
  retryAfterMs: 12_000,
  exceeded: true,
};
const passed = { ...status, limit: 'tpm', available: 900, requested: 5, retryAfterMs: 0, exceeded: false };

describe('a refusal', () => {
  const refusal = new RateLimitExceeded([status, passed], 12_000);

  it('says which limit stands in the way, and for how long', () => {
    expect(refusal.message).toBe('rate limit exceeded: "rpm" of key-1 on gpt-4 has 1 of 10, 3 asked; retry in 12000 ms');
    expect(refusal.violations).toEqual([status]);
  });

  it('prints as JSON with the status of every limit', () => {
    expect(JSON.parse(JSON.stringify(refusal))).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      retryAfterMs: 12_000,
      statuses: [status, passed],
    });
  });

  it('is known by its code, and nothing else is', () => {
    expect(isRateLimitExceeded(refusal)).toBe(true);
    expect(isRateLimitExceeded(new MillraceError('CLOSED', 'closed'))).toBe(false);
    expect(isRateLimitExceeded(Object.assign(new Error('foreign'), { code: 'RATE_LIMIT_EXCEEDED' }))).toBe(false);
  });
});

describe('an abort', () => {
  it('has the name that code around AbortSignal looks for, and keeps the reason', () => {
    const error = new AcquireAborted('the caller has left');

    expect(error).toMatchObject({ name: 'AbortError', code: 'ABORTED', cause: 'the caller has left' });
  });
});

describe('a failure of the store', () => {
  it.each([
    ['table-missing', 'TABLE_NOT_FOUND'],
    ['table-unusable', 'TABLE_UNUSABLE'],
    ['access-denied', 'ACCESS_DENIED'],
    ['credentials', 'CREDENTIALS'],
    ['throttled', 'UNAVAILABLE'],
    ['timeout', 'UNAVAILABLE'],
    ['network', 'UNAVAILABLE'],
    ['server', 'UNAVAILABLE'],
    ['refused', 'UNAVAILABLE'],
  ] as const)('for which the reason is %s becomes %s, and keeps its cause', (reason, code) => {
    const failure = new StoreFailure(reason, 'no', 'what happened', { table: 'millrace' });

    const error = errorFor(failure);

    expect(error).toMatchObject({ code, cause: failure });
    expect(error.data).toEqual(code === 'UNAVAILABLE' ? undefined : { table: 'millrace' });
    expect(error instanceof RateLimiterUnavailable).toBe(code === 'UNAVAILABLE');
  });
});
