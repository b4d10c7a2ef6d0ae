import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** What of a client is used. */
export type Client = Pick<DynamoDBClient, 'send' | 'middlewareStack'>;

/** Errors by which AWS says that there is no capacity at the moment. */
const THROTTLES: ReadonlySet<unknown> = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'TooManyRequestsException',
]);

/** Sends commands, each within a deadline that spans its repetitions, and counts what was throttled. */
export class Sender {
  readonly #client: Client;
  readonly #timeoutMs: number;
  #throttles = 0;

  constructor(client: Client, timeoutMs: number) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
    // Inside of the SDK's repetition: what was throttled and then answered is seen, too.
    client.middlewareStack.add(
      (next) => async (request) => {
        try {
          return await next(request);
        } catch (error) {
          if (THROTTLES.has((error as Error).name)) this.#throttles += 1;
          throw error;
        }
      },
      { step: 'finalizeRequest', priority: 'low', name: 'millraceCountThrottles', override: true },
    );
  }

  /** Throttled requests since it was last asked. */
  takeThrottles(): number {
    const taken = this.#throttles;
    this.#throttles = 0;
    return taken;
  }

  /** Sends a command; `send` gets the client and the signal that ends the request. */
  run<T>(send: (client: Client, signal: AbortSignal) => Promise<T>): Promise<T> {
    return send(this.#client, AbortSignal.timeout(this.#timeoutMs));
  }
}
