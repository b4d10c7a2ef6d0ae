import { ATTRIBUTE, MAX_LIMITS, MillraceError, type WireItem } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import type { WindowChange } from './change.js';
import { DEFAULT_RETENTION } from './retention.js';
import type { LimitStep } from './step.js';
import { windowFromItem, windowRewriteRequest, windowWriteRequest } from './window-wire.js';

const START_SEC = 1_800_003_600;
const COUNTER = 1_800_000_000_000_000_000n;
const step: LimitStep = { used: { from: COUNTER, to: COUNTER + 9n }, returned: { from: COUNTER, to: COUNTER + 1n }, isBirth: true };

function changeOf(limits: readonly string[], type: WindowChange['ref']['type'] = 'hour'): WindowChange {
  const bucket = { namespaceId: 'n1', entity: 'key-1', resource: 'gpt-4', shard: 0 };
  const ref = { bucket, eraUs: 1_800_000_000_000_000, type, startMs: START_SEC * 1_000 };
  return { ref, seq: { from: 1_800_000_000_000_000, to: 1_800_000_000_000_007 }, limits: new Map(limits.map((limit) => [limit, step])) };
}

const longest = changeOf(Array.from({ length: MAX_LIMITS }, (_, index) => `${'x'.repeat(31)}${index}`));
const requests = [
  ['a write', windowWriteRequest('millrace', longest, DEFAULT_RETENTION)],
  ['a write of one limit', windowWriteRequest('millrace', changeOf(['rpm']), {})],
  ['a rewrite', windowRewriteRequest('millrace', longest, longest, DEFAULT_RETENTION)],
  ['a rewrite with a new limit', windowRewriteRequest('millrace', changeOf(['a']), changeOf(['a', 'b']), DEFAULT_RETENTION)],
] as const;

describe.each(requests)('the request of %s', (_, request) => {
  it('defines exactly the placeholders that it uses', () => {
    const used = new Set(`${request.UpdateExpression} ${request.ConditionExpression}`.match(/[#:]\d+/g));
    const defined = [...Object.keys(request.ExpressionAttributeNames), ...Object.keys(request.ExpressionAttributeValues)];

    expect([...used].sort()).toEqual([...defined].sort());
  });

  it('keeps within the limits of DynamoDB: 4 KB an expression, 300 operators', () => {
    for (const expression of [request.UpdateExpression, request.ConditionExpression]) {
      expect(Buffer.byteLength(expression)).toBeLessThan(4_096);
      expect(expression.match(/<=|<|=|AND|OR|BETWEEN|attribute_not_exists|if_not_exists/g)?.length).toBeLessThan(300);
    }
  });
});

describe('the item of a window', () => {
  it('expires by its type, counted from its start, and for months never', () => {
    const expiryOf = (type: WindowChange['ref']['type']): WireItem[string] | undefined => {
      const { ExpressionAttributeNames: names, ...request } = windowWriteRequest('millrace', changeOf(['rpm'], type), DEFAULT_RETENTION);
      const placeholder = Object.keys(names).find((key) => names[key] === ATTRIBUTE.ttlSec);
      const [, value = ''] = new RegExp(`${placeholder} = (:\\d+)`).exec(request.UpdateExpression) ?? [];
      return request.ExpressionAttributeValues[value];
    };

    expect(expiryOf('hour')).toEqual({ N: String(START_SEC + 90 * 86_400) });
    expect(expiryOf('day')).toEqual({ N: String(START_SEC + 400 * 86_400) });
    expect(expiryOf('week')).toEqual({ N: String(START_SEC + 800 * 86_400) });
    expect(expiryOf('month')).toBeUndefined();
  });

  const item: WireItem = {
    PK: { S: 'n1/u/key-1' },
    SK: { S: 'hour/gpt-4/2027-01-15T09:00:00Z/0/1800000000000000' },
    v: { N: '1' },
    sa: { N: '1800000000000000' },
    sb: { N: '1800000000000007' },
    'ua.rpm': { N: `${COUNTER}` },
    'ub.rpm': { N: `${COUNTER + 9n}` },
    'ra.rpm': { N: `${COUNTER}` },
    'rb.rpm': { N: `${COUNTER + 1n}` },
    'ob.rpm': { BOOL: true },
  };

  it('is read as what was written', () => {
    expect(windowFromItem({ ...item, unheard: { S: 'of' } })).toEqual(changeOf(['rpm']));
  });

  it.each([
    ['another kind of item', { ...item, PK: { S: 'n1/e/key-1' } }, 'UNREADABLE_RECORD'],
    ['a counter that is missing', { ...item, 'ra.rpm': { S: 'x' } }, 'UNREADABLE_RECORD'],
    ['a schema of the future', { ...item, v: { N: '3' } }, 'SCHEMA_VERSION'],
  ] as const)('is refused for %s', (_, broken, code) => {
    const read = (): unknown => windowFromItem(broken);

    expect(read).toThrow(MillraceError);
    expect(read).toThrow(expect.objectContaining({ code }));
  });
});
