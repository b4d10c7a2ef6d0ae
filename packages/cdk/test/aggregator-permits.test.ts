import {
  awsHandler,
  awsSealer,
  CHECKING_ACTIONS,
  environmentOf,
  SCHEDULE_EVENT,
  SEALING_ACTIONS,
  STREAM_FILTERS,
} from '@millrace/aggregator-lambda';
import { Limit, RateLimiter } from '@millrace/limiter';
import { createTable } from '@millrace/limiter/admin';
import { EngineStream, launchEngine, StreamPump } from '@millrace/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AggregatorDuties, aggregatorPermits } from '../src/permissions/aggregator-permits.js';
import { statementsOf } from '../src/permissions/permit.js';
import { jsonOf, refused, TABLE_ARN, unused } from './iam-judge.js';
import { type RecordedAction, recordingClient } from './recorded-request.js';

const LATER_MS = 40 * 86_400_000;

/** A table in which something was used, some of it billed, and one bucket of it hot. */
async function usedTable() {
  const engine = await launchEngine();
  const { endpoint, region, credentials } = engine;
  const connection = { endpoint, region, credentials };
  const table = 'millrace';
  await createTable({ table, ...connection });
  const limiter = await RateLimiter.open({ table, ...connection, billing: { resources: ['billed'], maxDelayMs: 0 } });
  await limiter.limits.setSystem([Limit.perMinute('rpm', 1_000)]);
  const stream = await EngineStream.open(engine, table);
  // One after the other: those of one moment would be one write.
  for (let turn = 0; turn < 30; turn += 1) await (await limiter.acquire('hot', 'gpt-4', { rpm: 1 })).commit();
  await limiter.withLease('key-1', 'billed', { rpm: 1 }, () => undefined);
  await limiter.close();

  return {
    /** All that the function sends, from the first record of the stream to the last seal, in a process of its own. */
    async work(variables: Readonly<Record<string, string>>): Promise<readonly RecordedAction[]> {
      const { client, recorded } = recordingClient(connection);
      const environment = environmentOf({ MILLRACE_TABLE: table, AWS_REGION: region, MILLRACE_HINT_WRITES_PER_SEC: '2', ...variables });
      const parts = { dynamo: client, write: () => undefined };
      await new StreamPump({ source: stream, handler: awsHandler(environment, parts), filters: STREAM_FILTERS }).drain();
      if (environment.seals !== undefined) {
        const seal = awsSealer(environment, { ...parts, clock: { nowMs: () => Date.now() + LATER_MS } });
        // The first round has time for one period only, so the second one finds the place at which it ended.
        const timesLeft = [60_000, 60_000, 60_000, 60_000];
        expect(await seal(SCHEDULE_EVENT, { getRemainingTimeInMillis: () => timesLeft.pop() ?? 0 })).toMatchObject({ isDone: false });
        expect(await seal(SCHEDULE_EVENT, { getRemainingTimeInMillis: () => 60_000 })).toMatchObject({ failed: 0, isDone: true });
      }
      client.destroy();
      return recorded;
    },
    async close() {
      stream.close();
      await engine.close();
    },
  };
}

describe('what the aggregator sends', () => {
  let table: Awaited<ReturnType<typeof usedTable>>;
  beforeAll(async () => {
    table = await usedTable();
  });
  afterAll(() => table.close());

  it.each<[string, Readonly<Record<string, string>>, AggregatorDuties]>([
    ['the ledger', {}, { watchesThresholds: false, seals: false, checks: false }],
    ['thresholds, too,', { MILLRACE_THRESHOLD_PERCENT: '1' }, { watchesThresholds: true, seals: false, checks: false }],
    [
      'seals, too,',
      { MILLRACE_SEAL_TYPES: 'hour,day', MILLRACE_CHECK_LEDGER: 'false' },
      { watchesThresholds: false, seals: true, checks: false },
    ],
    // Weeks, since hours have their seals by now.
    ['checks, too,', { MILLRACE_SEAL_TYPES: 'day,week' }, { watchesThresholds: false, seals: true, checks: true }],
  ])('for %s is all that its role allows, and nothing else', async (_, variables, duties) => {
    const statements = jsonOf(statementsOf(aggregatorPermits(duties), TABLE_ARN));
    const sent = await table.work(variables);

    expect(refused(statements, sent)).toEqual([]);
    expect(unused(statements, sent)).toEqual([]);
    if (duties.seals) expect(statements.flatMap(({ Action }) => Action)).toEqual(expect.arrayContaining([...SEALING_ACTIONS]));
    if (duties.checks) expect(statements.flatMap(({ Action }) => Action)).toEqual(expect.arrayContaining([...CHECKING_ACTIONS]));
  });
});
