import { failureFor } from '@millrace/limiter/wire';
import { describe, expect, it } from 'vitest';
import { networkError } from '../src/k6/network-error.js';

describe('a request without a reply', () => {
  it.each([
    [1020, 'network', 'no'],
    [1101, 'network', 'no'],
    [1210, 'network', 'no'],
    [1211, 'timeout', 'no'],
    [1212, 'network', 'no'],
    [1310, 'network', 'no'],
    [1000, 'network', 'unknown'],
    [1050, 'timeout', 'unknown'],
    [1201, 'network', 'unknown'],
    [1220, 'network', 'unknown'],
    [1600, 'network', 'unknown'],
  ])('of number %d is a failure of kind %s, and may have been done: %s', (code, reason, applied) => {
    expect(failureFor(networkError({ error: 'broken', error_code: code }), 'table', 100)).toMatchObject({ reason, applied });
  });
});
