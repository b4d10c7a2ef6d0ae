import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { AbsoluteLocation, FinalizeRequestHandlerOptions, FinalizeRequestMiddleware } from '@smithy/types';
import { failureFor } from './failures.js';

/** Called once for each request that DynamoDB answered, or that was refused or lost. */
export type RequestListener = (operation: string, readUnits: number, writeUnits: number) => void;

/** A command of the SDK, as far as it matters here; each of its classes is a type of its own. */
interface Command {
  readonly middlewareStack: { add(middleware: never, options: never): void };
}

interface Reply {
  readonly ConsumedCapacity?: Units | readonly Units[] | undefined;
}

interface Units {
  readonly CapacityUnits?: number | undefined;
}

const READS: ReadonlySet<string> = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan']);

/** Sends commands: without the SDK's retries, within a deadline, and counted. */
export class Sender {
  readonly #client: DynamoDBClient;
  readonly #table: string;
  readonly #timeoutMs: number;
  readonly #onRequest: RequestListener;

  constructor(client: DynamoDBClient, table: string, timeoutMs: number, onRequest: RequestListener) {
    this.#client = client;
    this.#table = table;
    this.#timeoutMs = timeoutMs;
    this.#onRequest = onRequest;
  }

  /**
   * Sends one command. An error whose name `expected` lists comes back as it is; every other one as a `StoreFailure`.
   */
  async send<Output extends Reply>(operation: string, command: Command, expected?: string): Promise<Output> {
    withoutRetries(command);
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), this.#timeoutMs);
    let units = 0;
    try {
      const output = (await this.#client.send(command as never, { abortSignal: controller.signal })) as unknown as Output;
      units = unitsOf(output);
      return output;
    } catch (error) {
      if (expected !== undefined && (error as Error).name === expected) throw error;
      throw failureFor(error, this.#table, this.#timeoutMs);
    } finally {
      clearTimeout(timer);
      this.#onRequest(operation, READS.has(operation) ? units : 0, READS.has(operation) ? 0 : units);
    }
  }
}

function unitsOf(reply: Reply): number {
  const { ConsumedCapacity: consumed } = reply;
  if (consumed === undefined) return 0;
  const entries = Array.isArray(consumed) ? (consumed as readonly Units[]) : [consumed as Units];
  return entries.reduce((sum, entry) => sum + (entry.CapacityUnits ?? 0), 0);
}

/**
 * Takes the SDK's retries off a command, whatever client sends it: a credit whose reply was lost would be minted, and a debit
 * would say a time that has passed. The client may be the user's own, so its retry step is replaced, by name, in the command's own stack.
 */
function withoutRetries(command: Command): void {
  const passOn: FinalizeRequestMiddleware<object, object> = (next) => (args) => next(args);
  const place: FinalizeRequestHandlerOptions & AbsoluteLocation = {
    name: 'retryMiddleware',
    step: 'finalizeRequest',
    priority: 'high',
    tags: ['RETRY'],
    override: true,
  };
  command.middlewareStack.add(passOn as never, place as never);
}
