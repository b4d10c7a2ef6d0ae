import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Units } from '@millrace/cost';

/** DynamoDB's name of a command, and the units that it reported for it. */
interface Reply {
  readonly ConsumedCapacity?: Consumed | readonly Consumed[] | undefined;
}

interface Consumed {
  readonly CapacityUnits?: number | undefined;
}

const READS: ReadonlySet<string> = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan']);
const CONTROL: ReadonlySet<string> = new Set([
  'CreateTable',
  'DeleteTable',
  'DescribeTable',
  'UpdateTimeToLive',
  'UpdateContinuousBackups',
]);

/**
 * Counts what passes through a client of the SDK: each request that goes out, a second try included, and the units that
 * the engine reports for it. A refused condition is reported with none, here as on AWS, which bills the write: it counts 1,
 * as the items that are refused here are smaller than a kilobyte.
 */
export class Meter {
  #requests = 0;
  #readUnits = 0;
  #writeUnits = 0;
  #refused = 0;
  #isOn = true;
  #inFlight = 0;

  /** Ends when nothing is on its way: what a limiter reads ahead, no caller waits for, and time by hand must. */
  async settled(): Promise<void> {
    do await new Promise((resolve) => setImmediate(resolve));
    while (this.#inFlight > 0);
  }

  /** Attaches it to a client. It sits below the step that tries again, so nothing is sent that it does not see. */
  attach(client: DynamoDBClient): void {
    client.middlewareStack.add(
      (next) => async (args) => {
        this.#inFlight += 1;
        try {
          return await next(args);
        } finally {
          this.#inFlight -= 1;
        }
      },
      { name: 'millraceInFlight', step: 'initialize', priority: 'high' },
    );
    client.middlewareStack.add(
      (next, context) => async (args) => {
        const { commandName = '' } = context as { readonly commandName?: string };
        const operation = commandName.replace(/Command$/, '');
        if (!this.#isOn || CONTROL.has(operation)) return next(args);
        this.#requests += 1;
        try {
          const reply = await next(args);
          this.#note(operation, reply.output as Reply);
          return reply;
        } catch (error) {
          if ((error as Error).name !== 'ConditionalCheckFailedException') throw error;
          this.#refused += 1;
          this.#writeUnits += 1;
          throw error;
        }
      },
      { name: 'millraceMeter', step: 'finalizeRequest', priority: 'low' },
    );
  }

  /** All that was counted since the beginning. */
  get units(): Units & { readonly refused: number } {
    return { requests: this.#requests, readUnits: this.#readUnits, writeUnits: this.#writeUnits, refused: this.#refused };
  }

  /** What some work makes pass. */
  async count(work: () => Promise<unknown>): Promise<Units> {
    const before = this.units;
    await work();
    const after = this.units;
    return {
      requests: after.requests - before.requests,
      readUnits: after.readUnits - before.readUnits,
      writeUnits: after.writeUnits - before.writeUnits,
    };
  }

  /** Does something that is not to be counted, such as preparing what is. */
  async uncounted<T>(work: () => Promise<T>): Promise<T> {
    this.#isOn = false;
    try {
      return await work();
    } finally {
      this.#isOn = true;
    }
  }

  #note(operation: string, { ConsumedCapacity: consumed }: Reply): void {
    // A request that did not ask for its units would be free by our count.
    if (consumed === undefined) throw new Error(`${operation} did not report the units that it consumed`);
    const entries = Array.isArray(consumed) ? (consumed as readonly Consumed[]) : [consumed as Consumed];
    const units = entries.reduce((sum, { CapacityUnits: each = 0 }) => sum + each, 0);
    if (READS.has(operation)) this.#readUnits += units;
    else this.#writeUnits += units;
  }
}
