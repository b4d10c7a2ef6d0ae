import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { RateLimiterDynamo, RateLimiterRes } from 'rate-limiter-flexible';
import { REQUEST_HANDLER } from './bare-sdk.js';
import { AMPLE, type Contestant, type ContestantWorld, DRAINED, keyName, PARENT } from './contestant.js';

interface Reply {
  readonly output: { readonly ConsumedCapacity?: { readonly CapacityUnits?: number } };
}

/**
 * `rate-limiter-flexible` on DynamoDB: a fixed window, two writes where a window is open. Its own memory of keys that are
 * blocked is on, as its documentation advises. It knows neither parents nor several limits: each is two calls at once.
 */
export async function openRateLimiterFlexible(world: ContestantWorld): Promise<Contestant> {
  const { endpoint, region, credentials, table, caseName } = world;
  const client = new DynamoDB({ endpoint, region, credentials, maxAttempts: 1, requestHandler: REQUEST_HANDLER });
  const counts = { requests: 0, readUnits: 0, writeUnits: 0 };
  countUnits(client, counts);
  const { capacity, periodMs } = caseName === 'exhausted' ? DRAINED : AMPLE;
  const options = {
    storeClient: client,
    tableName: table,
    points: capacity,
    duration: periodMs / 1_000,
    inMemoryBlockOnConsumed: capacity,
    dynamoTableOpts: { readCapacityUnits: 25, writeCapacityUnits: 25 },
  };
  const limiter = await new Promise<RateLimiterDynamo>((resolve, reject) => {
    const made: RateLimiterDynamo = new RateLimiterDynamo(options, (error?: Error) => (error ? reject(error) : resolve(made)));
  });

  async function consume(name: string): Promise<boolean> {
    try {
      await limiter.consume(name, 1);
      return true;
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return false;
      throw refusal;
    }
  }

  return {
    async take(key) {
      const name = keyName(key);
      if (caseName === 'available') return (await limiter.get(name)) !== undefined;
      if (caseName !== 'cascade' && caseName !== 'two-limits') return consume(name);
      const [one, other] = await Promise.all([consume(name), consume(caseName === 'cascade' ? PARENT : `${name}:second`)]);
      return one && other;
    },
    counts: () => ({ ...counts }),
    close: async () => client.destroy(),
  };
}

/** Asks for the consumed capacity of every request on items, which the library does not, and counts it. */
function countUnits(client: DynamoDB, counts: { requests: number; readUnits: number; writeUnits: number }): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const unit = context.commandName === 'UpdateItemCommand' ? 'writeUnits' : context.commandName === 'GetItemCommand' ? 'readUnits' : '';
      if (unit === '') return next(args);
      counts.requests += 1;
      try {
        const reply = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } as typeof args.input });
        counts[unit] += (reply as Reply).output.ConsumedCapacity?.CapacityUnits ?? 0;
        return reply;
      } catch (error) {
        if ((error as Error).name === 'ConditionalCheckFailedException') counts.writeUnits += 1;
        throw error;
      }
    },
    { step: 'initialize' },
  );
}
