import type { BatchGetWire, StoreFailure } from '@millrace/core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { deadEndpoint, failure, reply, type Script, ScriptedServer } from './scripted-server.js';
import { closeTransports, GET, open, TABLE, TRANSPORTS, UPDATE } from './transport-world.js';

let server: ScriptedServer;
beforeAll(async () => {
  server = await ScriptedServer.start();
});
afterEach(() => closeTransports());
afterAll(() => server.close());

const hang: Script = () => undefined;
const html = '<html><body>503 Service Temporarily Unavailable</body></html>';

interface Trouble {
  readonly title: string;
  readonly script: Script;
  readonly reason: StoreFailure['reason'];
  readonly applied: StoreFailure['applied'];
  readonly timeoutMs?: number;
}

const named = (type: string, reason: Trouble['reason'], applied: Trouble['applied'] = 'no', status = 400): Trouble => ({
  title: `${type} (${status})`,
  script: failure(type, undefined, status),
  reason,
  applied,
});

const throttledBecause = (type: string, field: string, ...reasons: unknown[]): Script =>
  reply(400, { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'slow down', [field]: reasons });
const HOT = { reason: 'TableWriteKeyRangeThroughputExceeded', resource: 'arn:aws:dynamodb:eu-west-1:1:table/t' };
const FULL = { reason: 'TableWriteProvisionedThroughputExceeded', resource: HOT.resource };

const TROUBLES: readonly Trouble[] = [
  {
    title: 'a partition that is too hot',
    script: throttledBecause('ProvisionedThroughputExceededException', 'ThrottlingReasons', FULL, HOT),
    reason: 'hot-key',
    applied: 'no',
  },
  {
    title: 'one that is too hot, as the other throttling says it',
    script: throttledBecause('ThrottlingException', 'throttlingReasons', HOT),
    reason: 'hot-key',
    applied: 'no',
  },
  {
    title: 'a table that is too small',
    script: throttledBecause('ThrottlingException', 'throttlingReasons', FULL),
    reason: 'throttled',
    applied: 'no',
  },
  {
    title: 'reasons that are none',
    script: throttledBecause('ThrottlingException', 'throttlingReasons', {}, { reason: 7 }),
    reason: 'throttled',
    applied: 'no',
  },
  named('ThrottlingException', 'throttled'),
  named('ProvisionedThroughputExceededException', 'throttled'),
  named('RequestLimitExceeded', 'throttled'),
  named('TransactionConflictException', 'throttled'),
  named('ResourceNotFoundException', 'table-missing'),
  named('ValidationException', 'table-unusable'),
  named('AccessDeniedException', 'access-denied'),
  named('ExpiredTokenException', 'credentials'),
  named('UnrecognizedClientException', 'credentials'),
  named('InvalidSignatureException', 'credentials'),
  named('MissingAuthenticationTokenException', 'credentials'),
  named('RequestTimeTooSkewed', 'credentials'),
  named('ItemCollectionSizeLimitExceededException', 'refused', 'unknown'),
  named('SomethingOfTheFuture', 'refused', 'unknown'),
  named('InternalServerError', 'server', 'unknown', 500),
  named('ServiceUnavailable', 'server', 'unknown', 503),
  named('ThrottlingException', 'throttled', 'no', 503),
  { title: 'an error without its long name', script: reply(400, { __type: 'ThrottlingException' }), reason: 'throttled', applied: 'no' },
  {
    title: 'an error with an address after its name',
    script: reply(400, { __type: 'com.amazon.coral.service#AccessDeniedException:http://internal.amazon.com/', Message: 'no' }),
    reason: 'access-denied',
    applied: 'no',
  },
  { title: 'a 400 without a body', script: reply(400, ''), reason: 'refused', applied: 'unknown' },
  { title: 'a 200 that is no JSON', script: reply(200, html), reason: 'network', applied: 'unknown' },
  { title: 'a 200 that ends amid its JSON', script: reply(200, '{"Attributes":{"PK":'), reason: 'network', applied: 'unknown' },
  { title: 'a connection that ends', script: (response) => response.destroy(), reason: 'network', applied: 'unknown' },
  { title: 'a connection that is reset', script: (response) => response.socket?.resetAndDestroy(), reason: 'network', applied: 'unknown' },
  {
    title: 'a connection that ends amid the reply',
    script: (response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"Attr', () => response.destroy());
    },
    reason: 'network',
    applied: 'unknown',
  },
  { title: 'no reply in time', script: hang, reason: 'timeout', applied: 'unknown', timeoutMs: 200 },
  {
    title: 'a reply that does not end in time',
    script: (response) => void response.writeHead(200, { 'content-length': '100' }).write('{'),
    reason: 'timeout',
    applied: 'unknown',
    timeoutMs: 200,
  },
];

const failureOf = (sent: Promise<unknown>): Promise<StoreFailure> =>
  sent.then(
    () => expect.fail('the request was answered'),
    (error) => error as StoreFailure,
  );

describe.each(TRANSPORTS)('over the %s transport', (name) => {
  it.each(TROUBLES)('$title is: $reason, applied: $applied', async ({ script, reason, applied, timeoutMs = 30_000 }) => {
    const { transport, told } = await open(name, server.endpoint, { timeoutMs });
    server.play(script);

    const error = await failureOf(transport.send('UpdateItem', UPDATE));

    expect(error).toMatchObject({ name: 'StoreFailure', reason, applied, cause: expect.anything() });
    if (reason !== 'table-missing') expect(error.message).toContain(TABLE);
    expect(server.arrived).toHaveLength(1);
    expect(told).toEqual([['UpdateItem', 0, 0]]);
  });

  it.each([
    { title: 'an address that nobody listens at', endpoint: deadEndpoint },
    { title: 'a name that no DNS knows', endpoint: async () => 'http://nowhere.invalid' },
  ])('$title has certainly got nothing', async ({ endpoint }) => {
    const { transport } = await open(name, await endpoint());

    expect(await failureOf(transport.send('UpdateItem', UPDATE))).toMatchObject({ reason: 'network', applied: 'no' });
  });

  it('a condition that does not hold is an answer, with the item as it is', async () => {
    const { transport, told } = await open(name, server.endpoint);
    const Item = { PK: { S: 'n/b/ключ' }, seq: { N: '7' } };
    server.play(reply(400, { __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException', message: 'no', Item }));

    expect(await transport.send('UpdateItem', UPDATE)).toEqual({ isRefused: true, Item });

    expect(told).toEqual([['UpdateItem', 0, 0]]);
  });

  it('replies say what was written or read, and what it cost', async () => {
    const { transport, told } = await open(name, server.endpoint);
    const Attributes = { PK: { S: 'n/b/ключ/模型-😀' }, seq: { N: '8' } };
    server.play(
      reply(200, { Attributes, ConsumedCapacity: { CapacityUnits: 2 } }),
      reply(200, { Item: Attributes, ConsumedCapacity: { CapacityUnits: 0.5 } }),
      reply(200, {}),
      reply(200, { Responses: { [TABLE]: [Attributes] }, ConsumedCapacity: [{ CapacityUnits: 1 }, { CapacityUnits: 1.5 }] }),
    );

    expect(await transport.send('UpdateItem', UPDATE)).toEqual({ isRefused: false, Attributes });
    expect((await transport.send('GetItem', GET)).Item).toEqual(Attributes);
    expect((await transport.send('GetItem', GET)).Item).toBeUndefined();
    const keys: BatchGetWire = {
      RequestItems: { [TABLE]: { Keys: [GET.Key], ConsistentRead: false } },
      ReturnConsumedCapacity: 'TOTAL',
    };
    expect((await transport.send('BatchGetItem', keys)).Responses).toEqual({ [TABLE]: [Attributes] });

    expect(told).toEqual([
      ['UpdateItem', 0, 2],
      ['GetItem', 0.5, 0],
      ['GetItem', 0, 0],
      ['BatchGetItem', 2.5, 0],
    ]);
    expect(server.arrived.map(({ body }) => JSON.parse(body))).toEqual([UPDATE, GET, GET, keys]);
    expect(server.arrived.map(({ headers }) => headers['x-amz-target'])).toEqual([
      'DynamoDB_20120810.UpdateItem',
      'DynamoDB_20120810.GetItem',
      'DynamoDB_20120810.GetItem',
      'DynamoDB_20120810.BatchGetItem',
    ]);
  });

  it('errors that are no JSON are read by their status', async () => {
    const { transport } = await open(name, server.endpoint);
    server.play(reply(503, html));

    expect(await failureOf(transport.send('UpdateItem', UPDATE))).toMatchObject({ applied: 'unknown' });
  });
});
