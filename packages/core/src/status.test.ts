import { describe, expect, it } from 'vitest';
import { Limit } from './limit.js';
import { statusOf } from './status.js';

const NOW_US = 1_800_000_000_000_000;
const where = { entity: 'key-1', resource: 'gpt-4' };
const limit = Limit.perMinute('rpm', 10);

function stateWith(tatUs: number) {
  return { limits: new Map([['rpm', { tatUs, used: 0n, returned: 0n }]]), seq: 1, configVersion: undefined, ttlSec: 0 };
}

describe('the status of a limit', () => {
  it('says what it is, what was asked, and that it passes', () => {
    const status = statusOf(where, limit, 4, stateWith(NOW_US + 30_000_000), NOW_US);

    expect(status).toStrictEqual({
      entity: 'key-1',
      resource: 'gpt-4',
      limit: 'rpm',
      capacity: 10,
      refill: 10,
      periodMs: 60_000,
      requested: 4,
      available: 5,
      retryAfterMs: 0,
      exceeded: false,
    });
  });

  it('says how long a request that does not fit has to wait', () => {
    const status = statusOf(where, limit, 6, stateWith(NOW_US + 30_000_000), NOW_US);

    expect(status).toMatchObject({ available: 5, retryAfterMs: 6_000, exceeded: true });
  });

  it.each([
    ['there is no bucket', undefined],
    ['the bucket has never met the limit', { ...stateWith(0), limits: new Map() }],
  ])('is that of a full one where %s', (_, state) => {
    const status = statusOf(where, limit, 10, state, NOW_US);

    expect(status).toMatchObject({ available: 10, retryAfterMs: 0, exceeded: false });
  });
});
