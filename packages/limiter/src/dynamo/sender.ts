import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { AbsoluteLocation, FinalizeRequestHandlerOptions, FinalizeRequestMiddleware } from '@smithy/types';
import { type Consumed, type RequestListener, tell } from './consumed-units.js';
import { failureFor } from './failures.js';

/** A command of the SDK, as far as it matters here; each of its classes is a type of its own. */
interface Command {
  readonly middlewareStack: { add(middleware: never, options: never): void };
}

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
  async send<Output extends Consumed>(operation: string, command: Command, expected?: string): Promise<Output> {
    withoutRetries(command);
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), this.#timeoutMs);
    let reply: Consumed | undefined;
    try {
      const output = (await this.#client.send(command as never, { abortSignal: controller.signal })) as unknown as Output;
      reply = output;
      return output;
    } catch (error) {
      if (expected !== undefined && (error as Error).name === expected) throw error;
      throw failureFor(controller.signal.aborted ? ownAbort(error) : error, this.#table, this.#timeoutMs);
    } finally {
      clearTimeout(timer);
      tell(this.#onRequest, operation, reply);
    }
  }
}

/** What our own giving up looks like. Amid a reply the SDK calls it a reset connection, which it is, but not why. */
function ownAbort(error: unknown): unknown {
  if ((error as { readonly code?: unknown }).code !== 'ECONNRESET') return error;
  return Object.assign(new Error('the time for a reply is over', { cause: error }), { name: 'TimeoutError' });
}

/**
 * Takes the SDK's retries off a command, whatever client sends it: a debit whose reply was lost would be taken twice, a
 * credit minted. The client may be the user's own, so its retry step is replaced, by name, in the command's own stack.
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
