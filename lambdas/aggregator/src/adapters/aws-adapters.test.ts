import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { usageKey, wireKey } from '@millrace/core';
import { DEFAULT_RETENTION, type WindowChange, windowWriteRequest } from '@millrace/ledger';
import { afterEach, describe, expect, it } from 'vitest';
import type { ThresholdEvent } from '../ports.js';
import { DynamoHints } from './dynamo-hints.js';
import { DynamoLimits, DynamoUsage } from './dynamo-readers.js';
import { EventBridgeSink } from './event-bridge.js';
import { Sender } from './sender.js';

const REF = { namespaceId: 'n1', entity: 'key', resource: 'gpt-4', shard: 0 };
const PLACE = { namespaceId: 'n1', entity: 'key', resource: 'gpt-4', type: 'hour', startMs: Date.UTC(2026, 4, 13, 10) } as const;
const CLOCK = { nowMs: () => 0 };
const TIMEOUT_MS = 30_000;

const closing: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

type Body = Record<string, unknown>;

/** A service of AWS that answers each request as it is told; without an answer it keeps the caller waiting. */
async function serviceOf(answer: (body: Body) => { readonly status?: number; readonly body: Body } | undefined) {
  const asked: Body[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Body;
    asked.push(body);
    const said = answer(body);
    if (said === undefined) return;
    response.writeHead(said.status ?? 200, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(said.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, config: { endpoint, region: 'local', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } } };
}

async function tableOf(answer: Parameters<typeof serviceOf>[0], timeoutMs = TIMEOUT_MS) {
  const { asked, config } = await serviceOf(answer);
  return { asked, sender: new Sender(new DynamoDBClient(config), timeoutMs) };
}

function eventsOf(count: number): readonly ThresholdEvent[] {
  const window = { type: 'hour', start: '2026-05-13T10:00:00.000Z', end: '2026-05-13T11:00:00.000Z' } as const;
  const event = { namespaceId: 'n1', resource: 'gpt-4', limit: 'rpm', window, used: 9, allowance: 10, ratio: 0.9 };
  return Array.from({ length: count }, (_, index) => ({ ...event, id: `id-${index}`, entity: `key-${index}` }));
}

describe('events on a bus', () => {
  const sinkOf = async (answer: Parameters<typeof serviceOf>[0]) => {
    const { asked, config } = await serviceOf(answer);
    return { asked, sink: new EventBridgeSink(new EventBridgeClient(config), 'limits', TIMEOUT_MS) };
  };
  const entriesOf = (body: Body) => body['Entries'] as { readonly Source: string; readonly DetailType: string; readonly Detail: string }[];
  const taken = (body: Body) => ({
    body: { FailedEntryCount: 0, Entries: entriesOf(body).map((_, index) => ({ EventId: String(index) })) },
  });

  it('go out ten at a time, which is as many as a request may hold, each once', async () => {
    const { asked, sink } = await sinkOf(taken);
    const events = eventsOf(23);

    expect(await sink.publish(events, () => true)).toEqual({ events: [] });

    expect(asked.map((body) => entriesOf(body).length)).toEqual([10, 10, 3]);
    expect(asked.flatMap((body) => entriesOf(body).map(({ Detail }) => JSON.parse(Detail) as unknown))).toEqual(events);
    expect(asked.flatMap(entriesOf)[22]).toMatchObject({
      EventBusName: 'limits',
      Source: 'millrace',
      DetailType: 'Limit Threshold Crossed',
    });
  });

  it('that the bus refuses, alone or with all of their request, are told, and keep no others from being sent', async () => {
    const events = eventsOf(33);
    const { asked, sink } = await sinkOf((body) => {
      if (asked.length === 2) return { status: 400, body: { __type: 'InternalException', message: 'not now' } };
      const answers = entriesOf(body).map((_, index) =>
        index === 3 ? { ErrorCode: 'ThrottlingException', ErrorMessage: 'busy' } : { EventId: '1' },
      );
      return { body: { FailedEntryCount: 1, Entries: asked.length === 1 ? answers : entriesOf(body).map(() => ({ EventId: '1' })) } };
    });

    expect(await sink.publish(events, () => true)).toEqual({
      events: [events[3], ...events.slice(10, 20)],
      reason: 'EventBridge refused an event: ThrottlingException busy',
    });
    expect(asked.map((body) => entriesOf(body).length)).toEqual([10, 10, 10, 3]);
  });

  it('are not begun without time for them, and it is told how many were not sent', async () => {
    const { asked, sink } = await sinkOf(taken);
    const events = eventsOf(23);

    expect(await sink.publish(events, () => asked.length < 2)).toEqual({
      events: events.slice(20),
      reason: 'there was no time left to send 3 of 23 events',
    });
    expect(asked).toHaveLength(2);
  });
});

describe('usage that is read for a threshold', () => {
  it('is that of all pages', async () => {
    const pages = [0, 1].map((shard) => {
      const span = { from: 0n, to: 5n + BigInt(shard) };
      const limits = new Map([['rpm', { used: span, returned: { from: 0n, to: 0n }, isBirth: false }]]);
      const change: WindowChange = { ref: { ...PLACE, bucket: { ...REF, shard }, eraUs: 1 }, seq: { from: 0, to: 1 }, limits };
      return { Items: [itemOf(change)], ...(shard === 0 ? { LastEvaluatedKey: wireKey(usageKey(change.ref)) } : {}) };
    });
    const { asked, sender } = await tableOf((body) => ({ body: pages[body['ExclusiveStartKey'] === undefined ? 0 : 1] ?? {} }));

    expect(await new DynamoUsage(sender, 'millrace').usageOf(PLACE)).toEqual(new Map([['rpm', 11]]));
    expect(asked).toHaveLength(2);
  });
});

/** The item that a change makes of a window that is new, by its own request. */
function itemOf(change: WindowChange) {
  const request = windowWriteRequest('millrace', change, DEFAULT_RETENTION);
  const item: Record<string, unknown> = { ...request.Key };
  for (const [, name = '', value = ''] of request.UpdateExpression.matchAll(/(#\w+) = (?:if_not_exists\(#\w+, )?(:\w+)/g)) {
    item[request.ExpressionAttributeNames[name] ?? ''] = request.ExpressionAttributeValues[value];
  }
  return item;
}

describe('limits that are read for a threshold', () => {
  it('are an error where not all of them came, and are asked for again', async () => {
    let isBusy = true;
    const { asked, sender } = await tableOf((body) => ({
      body: isBusy ? { Responses: {}, UnprocessedKeys: body['RequestItems'] } : { Responses: {}, UnprocessedKeys: {} },
    }));
    const limits = new DynamoLimits(sender, 'millrace', CLOCK);

    await expect(limits.limitsOf('n1', 'key', 'gpt-4')).rejects.toThrow('the limits of "key" could not all be read: the table is busy');
    isBusy = false;
    expect(await limits.limitsOf('n1', 'key', 'gpt-4')).toEqual([]);
    expect(asked).toHaveLength(2);
  });
});

describe('a hint', () => {
  const hot = { ref: REF, layout: 1, atSec: 9 };

  it('for an item that was split since is none, and no error', async () => {
    const { asked, sender } = await tableOf(() => ({
      status: 400,
      body: { __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException' },
    }));

    await new DynamoHints(sender, 'millrace', CLOCK).hint(hot);

    expect(asked).toHaveLength(1);
  });

  it('that the table does not take is an error', async () => {
    const body = { __type: 'com.amazonaws.dynamodb.v20120810#AccessDeniedException', message: 'no' };
    const { sender } = await tableOf(() => ({ status: 400, body }));

    await expect(new DynamoHints(sender, 'millrace', CLOCK).hint(hot)).rejects.toThrow('no');
  });

  it('is left twice a minute at most', async () => {
    const { asked, sender } = await tableOf(() => ({ body: {} }));
    const clock = { atMs: 0, nowMs: () => clock.atMs };
    const hints = new DynamoHints(sender, 'millrace', clock);

    for (let turn = 0; turn < 60; turn += 1, clock.atMs += 1_000) await hints.hint(hot);

    expect(asked).toHaveLength(2);
  });
});

describe('a request that nobody answers', () => {
  it('ends at its deadline', async () => {
    const { sender } = await tableOf(() => undefined, 50);

    await expect(new DynamoUsage(sender, 'millrace').usageOf(PLACE)).rejects.toThrow(/abort|timeout/i);
  });
});
