import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { AbsoluteLocation, DeserializeMiddleware, FinalizeRequestHandlerOptions, FinalizeRequestMiddleware } from '@smithy/types';
import { type Consumed, type RequestListener, tell } from '../wire/consumed-units.js';
import { failureFor } from '../wire/failures.js';
import type { ReplyTimes } from './reply-times.js';

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
  readonly #times: ReplyTimes | undefined;

  /** `times` is told when replies came, and what time they say. */
  constructor(client: DynamoDBClient, table: string, timeoutMs: number, onRequest: RequestListener, times?: ReplyTimes) {
    this.#client = client;
    this.#table = table;
    this.#timeoutMs = timeoutMs;
    this.#onRequest = onRequest;
    this.#times = times;
  }

  /**
   * Sends one command. An error whose name `expected` lists comes back as it is; every other one as a `StoreFailure`.
   */
  async send<Output extends Consumed>(operation: string, command: Command, expected?: string): Promise<Output> {
    withoutRetries(command);
    if (this.#times !== undefined) timed(command, this.#times);
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

/** Reads the time off the reply to a command, whatever client sends it: next to the HTTP client, where errors are replies, too. */
function timed(command: Command, times: ReplyTimes): void {
  const read: DeserializeMiddleware<object, object> = (next) => async (args) => {
    const sentMs = times.nowMs();
    const result = await next(args);
    const { headers } = result.response as { readonly headers?: Readonly<Record<string, unknown>> };
    times.note(headers?.['date'], sentMs, times.nowMs());
    return result;
  };
  command.middlewareStack.add(read as never, { name: 'millraceReplyTime', step: 'deserialize', priority: 'low', override: true } as never);
}
