import { describe, expect, it } from 'vitest';
import { refusal } from '../../test/refusal.js';
import { itemBytes, updated } from '../../test/wire-item.js';
import { type BucketWrite, type Move, REQUEST_SLOTS, takeMove } from '../bucket.js';
import { Limit, MAX_LIMITS } from '../limit.js';
import { SCHEMA_VERSION } from '../schema/version.js';
import { debitUs, timingOf } from '../timing.js';
import type { WireItem } from './attribute-value.js';
import { bucketFromItem, bucketReadRequest, bucketWriteRequest, type UpdateItemWire } from './bucket.js';

const NOW_US = 1_800_000_000_000_000;
const TTL_SEC = 1_801_000_000;
const ref = { namespaceId: 'n1', entity: 'key-1', resource: 'gpt-4', shard: 0 };

function writeOf(moves: readonly Move[], more: Partial<BucketWrite> = {}): UpdateItemWire {
  return bucketWriteRequest('millrace', { ref, nowUs: NOW_US, ttlSec: TTL_SEC, moves, ...more });
}

/** The longest that there is: nothing slower and nothing faster can be told apart from it. */
const scale = '31622400000000/999999999999';
const idle = (limit: string, tokens = 1): Move => ({ form: 'idle', limit, tokens, chargeUs: 1000 * tokens, toUs: NOW_US, scale });
const busy = (limit: string, tokens = 1): Move => ({
  form: 'busy',
  limit,
  tokens,
  chargeUs: 1000 * tokens,
  fromUs: NOW_US - 9,
  toUs: NOW_US + 9_999,
  scale,
});
const credit = (limit: string, tokens = 1): Move => ({ form: 'credit', limit, tokens, chargeUs: 1000 * tokens, scale });
const revive = (limit: string, tokens = 1): Move => ({ form: 'revive', limit, tokens, scale });
const rescale = (limit: string): Move => ({ form: 'rescale', limit, fromTatUs: NOW_US + 9, toTatUs: NOW_US + 99, scale });
const drop = (limit: string): Move => ({ form: 'drop', limit, toUs: NOW_US });

/** Ten limits of the longest names, in all the forms that there are. */
const FORMS = [idle, busy, credit, revive, rescale, drop];
const longest = Array.from({ length: MAX_LIMITS }, (_, index) => `${'x'.repeat(31)}${index}`);
const widest = [
  ...FORMS.map((form) => longest.map((name) => form(name, 10 ** 12))),
  longest.map((name, index) => FORMS[index % FORMS.length]?.(name) ?? idle(name)),
];

describe('the request of a write', () => {
  it.each([...widest, [], [idle('rpm')]].map((moves) => [`${moves.length} limits (${moves[0]?.form ?? 'none'})`, moves] as const))(
    'of %s defines exactly the placeholders that it uses, each once',
    (_, moves) => {
      const request = writeOf(moves, { configVersion: NOW_US, request: { slot: 3, id: 7 } });

      const used = new Set(`${request.UpdateExpression} ${request.ConditionExpression}`.match(/[#:]\d+/g));
      const defined = [...Object.keys(request.ExpressionAttributeNames), ...Object.keys(request.ExpressionAttributeValues)];
      expect([...used].sort()).toStrictEqual([...defined].sort());
      expect(new Set(Object.values(request.ExpressionAttributeNames)).size).toBe(Object.keys(request.ExpressionAttributeNames).length);
    },
  );

  it('keeps within the limits of DynamoDB with ten limits of 32 characters: 4 KB an expression, 300 operators', () => {
    const requests = widest.map((moves) => writeOf(moves, { configVersion: NOW_US, request: { slot: 0, id: Number.MAX_SAFE_INTEGER } }));

    const expressions = requests.flatMap((request) => [request.UpdateExpression, request.ConditionExpression]);
    const operators = requests.map(
      (request) => `${request.UpdateExpression} ${request.ConditionExpression}`.match(/ [-+=] |[<>]=| AND | OR |_exists/g)?.length ?? 0,
    );
    expect(Math.max(...expressions.map((expression) => Buffer.byteLength(expression)))).toBeLessThan(4096);
    expect(Math.max(...operators)).toBeLessThanOrEqual(300);
  });

  it('assigns no attribute twice', () => {
    const targets = widest.map((moves) =>
      [...writeOf(moves, { configVersion: 1 }).UpdateExpression.matchAll(/(#\d+) = /g)].map(([, name]) => name),
    );

    expect(targets.every((names) => new Set(names).size === names.length)).toBe(true);
  });

  it('asks for what it has to know: the state after it, or the state that refused it', () => {
    const request = writeOf([idle('rpm')]);

    expect(request).toMatchObject({
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      ReturnConsumedCapacity: 'TOTAL',
    });
  });

  it('without moves demands an item, which it must not create', () => {
    const { ConditionExpression, ExpressionAttributeNames } = writeOf([]);

    expect(ConditionExpression).toContain('AND attribute_exists(#0)');
    expect(ExpressionAttributeNames['#0']).toBe('seq');
  });

  it('leaves an item alone whose schema this release could not read', () => {
    const { ConditionExpression, ExpressionAttributeNames, ExpressionAttributeValues } = writeOf([]);

    expect(ConditionExpression).toContain('(attribute_not_exists(#1) OR #1 BETWEEN :0 AND :1)');
    expect(ExpressionAttributeNames['#1']).toBe('v');
    expect(ExpressionAttributeValues).toMatchObject({ ':0': { N: '0' }, ':1': { N: '2' } });
  });

  it('without moves demands an item also where the writer knows a configuration', () => {
    const { ConditionExpression } = writeOf([], { configVersion: 7 });

    expect(ConditionExpression).toMatch(/(^| AND )attribute_exists\(#\d+\)($| AND )/);
  });
});

describe('the request of a read', () => {
  it('asks for the state as of the last answered write', () => {
    const request = bucketReadRequest('millrace', ref);

    const Key = { PK: { S: 'n1/b/key-1/0' }, SK: { S: 'gpt-4' } };
    expect(request).toStrictEqual({ TableName: 'millrace', Key, ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' });
  });
});

describe('a bucket that was written', () => {
  const BASE = 1_800_000_000_000_000_000n;

  it('is read as it was taken from: the counters begin at its creation, the write number too', () => {
    const item = updated(undefined, writeOf([idle('rpm', 3)], { configVersion: 7 }));

    expect(bucketFromItem(item)).toStrictEqual({
      limits: new Map([['rpm', { tatUs: NOW_US + 3_000, used: BASE + 3n, returned: BASE, scale }]]),
      seq: NOW_US + 1,
      configVersion: 7,
      ttlSec: TTL_SEC,
      eraUs: NOW_US,
    });
  });

  it('goes on from there with every form, and keeps what a write does not speak of', () => {
    const writes = [
      writeOf([idle('rpm', 3), idle('tpm', 4)]),
      writeOf([busy('rpm', 2)]),
      writeOf([credit('tpm', 1), revive('rpd', 5)]),
      writeOf([idle('rpm', 9)]),
    ];

    const item = writes.reduce<WireItem | undefined>(updated, undefined) ?? {};

    expect(bucketFromItem(item)).toStrictEqual({
      limits: new Map([
        ['rpm', { tatUs: NOW_US + 9_000, used: BASE + 14n, returned: BASE, scale }],
        ['tpm', { tatUs: NOW_US + 3_000, used: BASE + 4n, returned: BASE + 1n, scale }],
        ['rpd', { tatUs: NOW_US, used: BASE, returned: BASE + 5n, scale }],
      ]),
      seq: NOW_US + 4,
      configVersion: undefined,
      ttlSec: TTL_SEC,
      eraUs: NOW_US,
    });
  });

  it('keeps the scale that it has where a writer names none', () => {
    const item = [writeOf([idle('rpm')]), writeOf([{ form: 'credit', limit: 'rpm', tokens: 1, chargeUs: 5 }])].reduce<WireItem | undefined>(
      updated,
      undefined,
    );

    expect(bucketFromItem(item ?? {}).limits.get('rpm')).toMatchObject({ tatUs: NOW_US + 995, scale });
  });

  it('is brought into another scale without any of its counters moving', () => {
    const before = updated(undefined, writeOf([idle('rpm', 3)]));

    const after = updated(
      before,
      writeOf([{ form: 'rescale', limit: 'rpm', fromTatUs: NOW_US + 3_000, toTatUs: NOW_US + 9, scale: '3/1' }]),
    );

    const limits = new Map([['rpm', { tatUs: NOW_US + 9, used: BASE + 3n, returned: BASE, scale: '3/1' }]]);
    expect(bucketFromItem(after)).toMatchObject({ limits, seq: NOW_US + 2 });
  });

  it('has nothing left of a limit that was dropped', () => {
    const before = updated(undefined, writeOf([idle('rpm', 3), idle('tpm', 4)]));

    const after = updated(before, writeOf([drop('tpm')]));

    expect(Object.keys(after).sort()).toStrictEqual(['PK', 'SK', 'o', 'p.rpm', 'r.rpm', 'seq', 't.rpm', 'ttl', 'u.rpm', 'v']);
  });

  it('is of the era of its creation, until a limit is dropped: what comes after a drop is of another era', () => {
    const eraAfter = (...writes: readonly UpdateItemWire[]) =>
      bucketFromItem(writes.reduce<WireItem | undefined>(updated, undefined) ?? {}).eraUs;
    const [created, later] = [writeOf([idle('rpm'), idle('tpm')]), { nowUs: NOW_US + 1_000_000 }];

    expect(eraAfter(created, writeOf([busy('rpm')], later), writeOf([], later))).toBe(NOW_US);
    expect(eraAfter(created, writeOf([drop('rpm')], later))).toBe(NOW_US + 1);
    expect(eraAfter(created, writeOf([drop('rpm')], later), writeOf([idle('rpm')], later), writeOf([drop('tpm')]))).toBe(NOW_US + 2);
  });

  it('has no era where no writer has named one, and gets one with the next write', () => {
    const { o: _, ...older } = updated(undefined, writeOf([idle('rpm')]));

    expect(bucketFromItem(older).eraUs).toBeUndefined();
    expect(bucketFromItem(updated(older, writeOf([busy('rpm')], { nowUs: NOW_US + 5 }))).eraUs).toBe(NOW_US + 5);
  });

  it('has no scale where what is kept of it is no text', () => {
    const item = updated(undefined, writeOf([idle('rpm')]));

    expect(bucketFromItem({ ...item, 'p.rpm': { N: '7' } }).limits.get('rpm')?.scale).toBeUndefined();
  });

  it('bears the schema of the release that created it, whoever writes it later', () => {
    const created = updated(undefined, writeOf([idle('rpm')]));
    const older = updated({ ...created, v: { N: '0' } }, writeOf([busy('rpm')]));

    expect(created['v']).toStrictEqual({ N: String(SCHEMA_VERSION) });
    expect(older['v']).toStrictEqual({ N: '0' });
  });
});

describe('the schema version of an item', () => {
  const item = updated(undefined, writeOf([idle('rpm')]));

  it.each([SCHEMA_VERSION - 1, SCHEMA_VERSION, SCHEMA_VERSION + 1])('%d is read', (version) => {
    const state = bucketFromItem({ ...item, v: { N: String(version) }, unheard: { S: 'of' } });

    expect([...state.limits.keys()]).toStrictEqual(['rpm']);
  });

  it('two ahead is refused, and the message says what to do', () => {
    const error = refusal(() => bucketFromItem({ ...item, v: { N: String(SCHEMA_VERSION + 2) } }));

    expect(error.code).toBe('SCHEMA_VERSION');
    expect(error.message).toBe('the bucket has schema version 3, and this release reads 0 to 2; update this service');
  });

  it('two behind is refused, and the message says what to do', () => {
    const error = refusal(() => bucketFromItem({ ...item, v: { N: String(SCHEMA_VERSION - 2) } }));

    expect(error).toMatchObject({
      code: 'SCHEMA_VERSION',
      message: expect.stringContaining('migrate the table with a release in between'),
    });
  });
});

describe('the size of an item', () => {
  const eight = Array.from({ length: 8 }, (_, index) => idle(`tokens-of${index}`, 10 ** 12));
  const uuid = '0198c5a2-7b1e-7c3d-9f4a-5e6d7c8b9a0f';
  /** With the names of requests in all slots, as after four writers. */
  const bytesOf = (moves: readonly Move[], names: Partial<typeof ref>): number => {
    const item = Array.from({ length: REQUEST_SLOTS }).reduce<WireItem | undefined>((before, _, slot) => {
      const request = { slot, id: Number.MAX_SAFE_INTEGER };
      return updated(before, writeOf(moves, { ref: { ...ref, ...names }, configVersion: NOW_US, request }));
    }, undefined);
    return itemBytes(item ?? {});
  };

  it('of the eight limits that services usually have is below 700 bytes', () => {
    const usual = ['rpm:1000', 'tpm:800000', 'itpm:450000', 'otpm:90000', 'rph:20000', 'rpd:100000', 'tpd:50000000', 'images:7'].map(
      (text) => {
        const limit = Limit.parse(`${text}/${text.includes('d:') ? 'day' : 'min'}`);
        return takeMove(limit.name, timingOf(limit), 'idle', 1, debitUs(timingOf(limit), 1), NOW_US);
      },
    );

    expect(bytesOf(usual, { entity: uuid, resource: 'anthropic/claude-sonnet-4' })).toBeLessThan(700);
  });

  it('of eight limits with names of 10 characters and the longest scales stays under 1 KB, with a UUID for an entity', () => {
    expect(bytesOf(eight, { entity: uuid, resource: 'gpt-4' })).toBeLessThanOrEqual(1024);
  });

  it('leaves at least 120 bytes to the names of entity and resource where scales are of up to 12 characters', () => {
    const moves = eight.map((move) => ({ ...move, scale: '20000000/111' }));

    expect(bytesOf(moves, { namespaceId: 'n'.repeat(12), entity: '', resource: '', shard: 31 })).toBeLessThan(1024 - 120);
  });
});
