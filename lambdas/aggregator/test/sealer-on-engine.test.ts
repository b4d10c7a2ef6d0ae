import { paginateScan } from '@aws-sdk/client-dynamodb';
import { awsSealer, CHECKING_ACTIONS, SCHEDULE_EVENT, SEALING_ACTIONS, STREAM_FILTERS } from '@millrace/aggregator-lambda';
import { type OpenPeriod, parseOpenPeriod } from '@millrace/core';
import { Limit, RateLimiter } from '@millrace/limiter';
import { StreamPump } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { liveWorld } from './live-world.js';

/** What IAM asks for a command; a transaction is what it holds. */
function actionsOf(command: string, input: object): readonly string[] {
  const { TransactItems: writes } = input as { readonly TransactItems?: readonly object[] };
  const names = writes?.map((write) => `${Object.keys(write)[0]}Item`) ?? [command.replace(/Command$/, '')];
  return names.map((name) => `dynamodb:${name}`);
}

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
          for (const action of actionsOf(commandName, request.input)) sent.add(action);
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
    expect([...sent].sort()).toEqual([...SEALING_ACTIONS, ...CHECKING_ACTIONS].sort());
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
    // Ten books a day, of one day or, around midnight, of two.
    expect(world.figures('BooksChecked').reduce((sum, books) => sum + books, 0)).toBeGreaterThanOrEqual(10);
    expect(world.figures('LedgerGaps')).toEqual([0]);
    await limiter.close();
    await world.close();
  });

  it('finds what the stream has never brought, and says whose it is, how much, and what to do', async () => {
    const world = await liveWorld({}, { MILLRACE_SEAL_TYPES: 'day' });
    const limiter = await RateLimiter.open(world.connection);
    const limits = [Limit.perMinute('rpm', 60_000)];
    for (const entity of ['key-1', 'key-2']) await limiter.acquire(entity, 'gpt-4', { rpm: 2 }, { limits });
    await new StreamPump({ source: world.source, handler: world.handler, filters: STREAM_FILTERS }).drain();
    // From here on nobody reads the stream: what a batch is that was given up.
    for (const rpm of [3, 4]) await limiter.acquire('key-2', 'gpt-4', { rpm }, { limits });

    const answer = await awsSealer(world.environment, {
      dynamo: world.dynamo,
      write: (line) => void world.lines.push(line),
      clock: { nowMs: () => Date.now() + 3 * 86_400_000 },
    })(SCHEDULE_EVENT, { getRemainingTimeInMillis: () => 60_000 });

    expect(answer).toMatchObject({ failed: 0, isDone: true });
    expect([world.figures('LedgerGaps'), world.figures('LedgerFindings'), world.figures('LedgerInFlight')]).toEqual([[1], [1], [0]]);
    const findings = world.lines.map((line) => JSON.parse(line)).filter(({ what }) => what === 'finding');
    expect(findings).toMatchObject([
      { level: 'error', namespace: 'default', entity: 'key-2', resource: 'gpt-4', type: 'day', limit: 'rpm', kind: 'end', net: 7 },
    ]);
    expect(findings[0].message).toContain('"millrace usage repair -n default --entity key-2 --resource gpt-4" books it');
    await limiter.close();
    await world.close();
  });

  it('refuses to be invoked without a type of window to seal', async () => {
    const world = await liveWorld();

    expect(() => awsSealer(world.environment, { dynamo: world.dynamo })).toThrow('variable MILLRACE_SEAL_TYPES');
    await world.close();
  });
});
