import { paginateScan } from '@aws-sdk/client-dynamodb';
import { awsSealer, SCHEDULE_EVENT, SEALING_ACTIONS, STREAM_FILTERS } from '@millrace/aggregator-lambda';
import { type OpenPeriod, parseOpenPeriod } from '@millrace/core';
import { Limit, RateLimiter } from '@millrace/limiter';
import { StreamPump } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { liveWorld } from './live-world.js';

/** What IAM asks for each command; a transaction is what it holds. */
const ACTIONS: Readonly<Record<string, string>> = {
  BatchGetItemCommand: 'dynamodb:BatchGetItem',
  QueryCommand: 'dynamodb:Query',
  TransactWriteItemsCommand: 'dynamodb:PutItem',
  BatchWriteItemCommand: 'dynamodb:BatchWriteItem',
};

/** The periods that the aggregator has marked. */
async function marked({ dynamo, connection }: Pick<Awaited<ReturnType<typeof liveWorld>>, 'dynamo' | 'connection'>): Promise<OpenPeriod[]> {
  const periods: OpenPeriod[] = [];
  for await (const { Items: items = [] } of paginateScan({ client: dynamo }, { TableName: connection.table, ConsistentRead: true })) {
    periods.push(...items.flatMap(({ PK, SK }) => parseOpenPeriod({ partition: PK?.S ?? '', sort: SK?.S ?? '' }) ?? []));
  }
  return periods;
}

describe('the function that a schedule invokes', () => {
  it('seals what the stream has brought, once it is over, and each seal holds what was used', async () => {
    const world = await liveWorld({}, { MILLRACE_SEAL_TYPES: 'day,month' });
    const limiter = await RateLimiter.open(world.connection);
    const limits = [Limit.perMinute('rpm', 60_000)];
    for (let turn = 0; turn < 30; turn += 1)
      await limiter.acquire(`key-${turn % 5}`, turn % 2 === 0 ? 'gpt-4' : 'gpt-3', { rpm: 2 }, { limits });
    await new StreamPump({ source: world.source, handler: world.handler, filters: STREAM_FILTERS }).drain();
    const periods = await marked(world);
    const sent = new Set<string>();
    world.dynamo.middlewareStack.add(
      (next, { commandName = '' }) =>
        (request) => {
          sent.add(ACTIONS[commandName] ?? commandName);
          return next(request);
        },
      { step: 'initialize', name: 'noteActions' },
    );
    const seal = (daysLater: number) =>
      awsSealer(world.environment, {
        dynamo: world.dynamo,
        write: (line) => void world.lines.push(line),
        clock: { nowMs: () => Date.now() + daysLater * 86_400_000 },
      })(SCHEDULE_EVENT, { getRemainingTimeInMillis: () => 60_000 });

    expect(await seal(0)).toEqual({ sealed: 0, failed: 0, isDone: true });
    expect(await seal(40)).toEqual({ sealed: periods.length, failed: 0, isDone: true });
    expect(await seal(41)).toEqual({ sealed: 0, failed: 0, isDone: true });

    world.dynamo.middlewareStack.remove('noteActions');
    expect([...sent].sort()).toEqual([...SEALING_ACTIONS].sort());
    const used = new Map<string, number>();
    for (const { resource, type, startMs } of periods) {
      const { intact, seal: written } = await limiter.usage.checkSeal({ resource, type, start: new Date(startMs) });
      const name = `${type} ${resource}`;
      used.set(name, (used.get(name) ?? 0) + (written.totals['rpm']?.net ?? 0));
      expect(intact).toBe(true);
    }
    expect(Object.fromEntries(used)).toEqual({ 'day gpt-3': 30, 'day gpt-4': 30, 'month gpt-3': 30, 'month gpt-4': 30 });
    expect(await marked(world)).toEqual([]);
    expect(world.figures('PeriodsSealed')).toEqual([0, periods.length, 0]);
    await limiter.close();
    await world.close();
  });

  it('refuses to be invoked without a type of window to seal', async () => {
    const world = await liveWorld();

    expect(() => awsSealer(world.environment, { dynamo: world.dynamo })).toThrow('variable MILLRACE_SEAL_TYPES');
    await world.close();
  });
});
