import { describe, expect, it } from 'vitest';
import { rateLimitHeaders } from './headers.js';
import type { LimitStatus } from './status.js';

const passed: LimitStatus = {
  entity: 'key-1',
  resource: 'gpt-4',
  limit: 'rpm',
  capacity: 500,
  refill: 500,
  periodMs: 60_000,
  requested: 1,
  available: 12,
  retryAfterMs: 0,
  exceeded: false,
};
const exceeded: LimitStatus = {
  ...passed,
  limit: 'tpm',
  capacity: 800_000,
  refill: 800_000,
  available: 10,
  retryAfterMs: 4_001,
  exceeded: true,
};

/** A member of a list of strings with whole parameters, as structured fields (RFC 9651) write it. */
const ITEM = (parameters: string) => new RegExp(`^"[A-Za-z][A-Za-z0-9_-]*"${parameters}$`);

describe('the header fields of a refusal', () => {
  it('are the policy, the state and the wait, limit by limit', () => {
    const headers = rateLimitHeaders([passed, exceeded], 4_001);

    expect(headers).toStrictEqual({
      'RateLimit-Policy': '"rpm";q=500;w=60, "tpm";q=800000;w=60',
      RateLimit: '"rpm";r=12;t=0, "tpm";r=10;t=5',
      'Retry-After': '5',
    });
  });

  it('are lists of the shape that the IETF draft gives them', () => {
    const headers = rateLimitHeaders([passed, exceeded, { ...passed, limit: 'a-b_c' }], 1);

    const [policies, states] = [headers['RateLimit-Policy'].split(', '), headers.RateLimit.split(', ')];
    expect(policies.every((item) => ITEM(';q=\\d{1,15};w=\\d{1,15}').test(item))).toBe(true);
    expect(states.every((item) => ITEM(';r=\\d{1,15};t=\\d{1,15}').test(item))).toBe(true);
    expect(headers['Retry-After']).toMatch(/^\d+$/);
  });

  it('print a debt as nothing left', () => {
    const headers = rateLimitHeaders([{ ...exceeded, available: -7 }], 4_001);

    expect(headers.RateLimit).toBe('"tpm";r=0;t=5');
  });

  it.each([
    ['longest to wait', { ...exceeded, entity: 'project-1', available: 9_999, retryAfterMs: 9_000 }, '"tpm";r=9999;t=9'],
    ['least left, where the wait is the same', { ...exceeded, entity: 'project-1', available: 3 }, '"tpm";r=3;t=5'],
  ])('let the level speak that has %s', (_, parent, expected) => {
    const [upwards, downwards] = [rateLimitHeaders([exceeded, parent], 0), rateLimitHeaders([parent, exceeded], 0)];

    expect([upwards.RateLimit, downwards.RateLimit]).toStrictEqual([expected, expected]);
  });

  it('describe the policy of the level that speaks', () => {
    const headers = rateLimitHeaders([exceeded, { ...exceeded, capacity: 100, refill: 1, periodMs: 1_500, retryAfterMs: 5_000 }], 0);

    expect(headers['RateLimit-Policy']).toBe('"tpm";q=100;w=150');
  });

  it.each([
    [0, '0'],
    [1, '1'],
    [999, '1'],
    [1_000, '1'],
    [1_001, '2'],
    [60_000, '60'],
  ])('round a wait of %d ms up to %s s', (retryAfterMs, expected) => {
    const headers = rateLimitHeaders([{ ...exceeded, retryAfterMs }], retryAfterMs);

    expect(headers['Retry-After']).toBe(expected);
    expect(headers.RateLimit).toBe(`"tpm";r=10;t=${expected}`);
  });

  it('give a window of at least a second, and round it up', () => {
    const [fast, odd] = [
      { ...passed, periodMs: 1 },
      { ...passed, capacity: 1, refill: 3, periodMs: 10_000 },
    ];

    const windows = [fast, odd].map((status) => rateLimitHeaders([status], 0)['RateLimit-Policy']);

    expect(windows).toStrictEqual(['"rpm";q=500;w=1', '"rpm";q=1;w=4']);
  });
});
