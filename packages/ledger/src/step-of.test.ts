import { bucketKey, type WireItem, wireKey } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { LedgerError } from './ledger-error.js';
import type { StreamRecord } from './step.js';
import { stepOf } from './step-of.js';

const BASE = 1_800_000_000_000_000_000n;
const ref = { namespaceId: 'n1', entity: 'key/1', resource: 'gpt-4', shard: 2 };
const AT_MS = 1_800_000_007_000;

interface Counters {
  readonly [limit: string]: readonly [used: number, returned: number];
}

function bucket(counters: Counters, seq: number, more: WireItem = {}): WireItem {
  const item: WireItem = { ...wireKey(bucketKey(ref)), v: { N: '1' }, seq: { N: String(seq) }, ttl: { N: '9' }, o: { N: '55' }, ...more };
  for (const [limit, [used, returned]] of Object.entries(counters)) {
    item[`t.${limit}`] = { N: '1800000000000000' };
    item[`u.${limit}`] = { N: String(BASE + BigInt(used)) };
    item[`r.${limit}`] = { N: String(BASE + BigInt(returned)) };
  }
  return item;
}

function recordOf(oldImage: WireItem | undefined, newImage: WireItem | undefined, isExpiry = false): StreamRecord {
  return {
    eventId: 'e-1',
    atMs: AT_MS,
    isExpiry,
    ...(oldImage === undefined ? {} : { oldImage }),
    ...(newImage === undefined ? {} : { newImage }),
  };
}

const span = (from: number, to: number) => ({ from: BASE + BigInt(from), to: BASE + BigInt(to) });

describe('the step of a record', () => {
  it('is how far the counters went, from the old image to the new one', () => {
    const step = stepOf(recordOf(bucket({ rpm: [3, 1], tpm: [500, 0] }, 10), bucket({ rpm: [4, 1], tpm: [500, 20] }, 11)));

    expect(step).toEqual({
      ref,
      eraUs: 55,
      atMs: AT_MS,
      seq: { from: 10, to: 11 },
      limits: new Map([
        ['rpm', { used: span(3, 4), returned: span(1, 1), isBirth: false }],
        ['tpm', { used: span(500, 500), returned: span(0, 20), isBirth: false }],
      ]),
    });
  });

  it('leaves out limits that did not move', () => {
    const step = stepOf(recordOf(bucket({ rpm: [3, 1], tpm: [500, 0] }, 10), bucket({ rpm: [4, 1], tpm: [500, 0] }, 11)));

    expect([...(step?.limits.keys() ?? [])]).toEqual(['rpm']);
  });

  it('counts the very first acquire: it begins at the base, and not where the acquire left the counter (a peer counts from there)', () => {
    const step = stepOf(recordOf(undefined, bucket({ rpm: [7, 0] }, 10)));

    expect(step?.limits.get('rpm')).toEqual({ used: span(0, 7), returned: span(0, 0), isBirth: true });
    expect(step?.seq).toEqual({ from: 9, to: 10 });
  });

  it('counts what came back first, to a bucket that had expired', () => {
    const step = stepOf(recordOf(undefined, bucket({ rpm: [0, 4] }, 10)));

    expect(step?.limits.get('rpm')).toEqual({ used: span(0, 0), returned: span(0, 4), isBirth: true });
  });

  it('tells the birth of a limit on an item that was there, and of one that took nothing', () => {
    const step = stepOf(recordOf(bucket({ rpm: [3, 1] }, 10), bucket({ rpm: [3, 1], tpm: [0, 0] }, 11)));

    expect(step?.limits).toEqual(new Map([['tpm', { used: span(0, 0), returned: span(0, 0), isBirth: true }]]));
  });

  it('is of the era after the write, and of none where no writer has named one', () => {
    const { o: _, ...nameless } = bucket({ rpm: [4, 1] }, 11);

    expect(stepOf(recordOf(bucket({ rpm: [3, 1] }, 10), bucket({ rpm: [4, 1] }, 11, { o: { N: '56' } })))?.eraUs).toBe(56);
    expect(stepOf(recordOf(bucket({ rpm: [3, 1] }, 10), nameless))?.eraUs).toBe(0);
  });

  it('spans the writes between two images that are further apart', () => {
    expect(stepOf(recordOf(bucket({ rpm: [3, 1] }, 10), bucket({ rpm: [9, 1] }, 14)))?.seq).toEqual({ from: 10, to: 14 });
  });
});

describe('a record without a step', () => {
  it.each([
    ['of an expiry, which takes nothing back', recordOf(bucket({ rpm: [3, 1] }, 10), undefined, true)],
    ['of a deletion', recordOf(bucket({ rpm: [3, 1] }, 10), undefined)],
    ['of a write that only lengthened a life', recordOf(bucket({ rpm: [3, 1] }, 10), bucket({ rpm: [3, 1] }, 11, { ttl: { N: '99' } }))],
    ['of the drop of a limit', recordOf(bucket({ rpm: [3, 1], tpm: [1, 1] }, 10), bucket({ rpm: [3, 1] }, 11))],
    ['of an entity', recordOf(undefined, { PK: { S: 'n1/e/key-1' }, SK: { S: 'entity' } })],
    ['of a usage window', recordOf(undefined, { PK: { S: 'n1/u/key-1' }, SK: { S: 'hour/gpt-4/2027-01-15T08:00:00Z/0/0' } })],
    ['of the registry', recordOf(undefined, { PK: { S: '_/namespaces' }, SK: { S: 'default' } })],
  ])('is one %s', (_, record) => {
    expect(stepOf(record)).toBeUndefined();
  });
});

describe('a record that cannot be read is refused, and never passed over', () => {
  const fine = bucket({ rpm: [3, 1] }, 10);

  it.each([
    ['has no image', recordOf(undefined, undefined), 'neither an old nor a new image'],
    ['has no key', recordOf(undefined, { v: { N: '1' } }), 'no key of ours'],
    ['is of a bucket by a key of another kind', recordOf(undefined, { ...fine, PK: { S: 'n1/b/key/x/0' } }), 'no bucket that we know'],
    ['lacks a counter', recordOf(undefined, without(fine, 'r.rpm')), '"r.rpm" is no number'],
    ['has a counter that is text', recordOf(undefined, { ...fine, 'u.rpm': { S: '5' } }), '"u.rpm" is no number'],
    ['has a counter with a fraction', recordOf(undefined, { ...fine, 'u.rpm': { N: '5.5' } }), '"u.rpm" is 5.5'],
    ['has a counter below zero', recordOf(undefined, { ...fine, 'u.rpm': { N: '-5' } }), '"u.rpm" is -5'],
    ['lacks the write number', recordOf(undefined, without(fine, 'seq')), '"seq" is no number'],
    ['lacks its schema', recordOf(undefined, without(fine, 'v')), '"v" is no number'],
    ['is of a schema that this release does not read', recordOf(undefined, { ...fine, v: { N: '3' } }), 'schema version 3'],
    ['has an era that is no number', recordOf(undefined, { ...fine, o: { S: 'now' } }), '"o" is no number'],
    ['has an old image that cannot be read', recordOf(without(fine, 'u.rpm'), bucket({ rpm: [4, 1] }, 11)), '"u.rpm" is no number'],
    ['counts down', recordOf(fine, bucket({ rpm: [2, 1] }, 11)), 'a counter of "rpm" goes down'],
    ['counts down what came back', recordOf(fine, bucket({ rpm: [4, 0] }, 11)), 'a counter of "rpm" goes down'],
    ['counts its writes down', recordOf(fine, bucket({ rpm: [4, 1] }, 9)), 'goes from 10 down to 9'],
    ['has no time', { ...recordOf(undefined, fine), atMs: Number.NaN }, 'when it happened'],
  ])('if it %s', (_, record, message) => {
    const error = thrown(() => stepOf(record));

    expect(error).toBeInstanceOf(LedgerError);
    expect(error).toMatchObject({ code: 'UNREADABLE_RECORD', eventId: 'e-1' });
    expect((error as Error).message).toContain(message);
  });
});

function without(item: WireItem, attribute: string): WireItem {
  const { [attribute]: _, ...rest } = item;
  return rest;
}

function thrown(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
}
