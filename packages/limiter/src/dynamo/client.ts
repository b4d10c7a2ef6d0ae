import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { StoreFailure, ValidationError } from '@millrace/core';

/**
 * A client of the user's own: `DynamoDBClient`, or the document client of `@aws-sdk/lib-dynamodb`. The type is structural
 * because a class type would tie the user to our very version of the SDK.
 */
export interface DynamoClient {
  send(command: never, options?: never): Promise<unknown>;
}

/** How to reach DynamoDB. What is not given comes from AWS's usual chain. */
export interface ConnectionOptions {
  readonly endpoint?: string;
  readonly region?: string;
  readonly credentials?: DynamoDBClientConfig['credentials'];
  /** A client of your own, with its middleware. It is not closed with the limiter. */
  readonly client?: DynamoClient;
}

/** A client, and whether it is ours to close. */
export interface Connection {
  readonly client: DynamoDBClient;
  close(): void;
}

/** The most connections at once where nobody says how many. */
export const MAX_CONNECTIONS = 256;
const TABLE_NAME = /^[A-Za-z0-9_.-]{3,255}$/;

/** Checks the name of a table by DynamoDB's rules. */
export function checkTableName(table: unknown): string {
  if (typeof table === 'string' && TABLE_NAME.test(table)) return table;
  throw new ValidationError('option "table"', '3 to 255 letters, digits, "_", "-" or "."', table);
}

/** Makes a client, or takes the one that was handed in. Opens no connection; `table` is only said in messages. */
export async function connect(options: ConnectionOptions, table: string, maxConnections = MAX_CONNECTIONS): Promise<Connection> {
  if (options.client !== undefined) {
    if (typeof options.client !== 'object' || options.client === null || typeof options.client.send !== 'function') {
      throw new ValidationError('option "client"', 'a DynamoDBClient or a DynamoDBDocumentClient', options.client);
    }
    const ignored = (['endpoint', 'region', 'credentials'] as const).find((option) => options[option] !== undefined);
    if (ignored !== undefined)
      throw new ValidationError(`option "${ignored}"`, 'left out beside "client", which has its own', options[ignored]);
    return { client: options.client as unknown as DynamoDBClient, close: () => undefined };
  }
  if (options.endpoint !== undefined && !isHttpUrl(options.endpoint)) {
    throw new ValidationError('option "endpoint"', 'a URL of http or https (http://127.0.0.1:8000)', options.endpoint);
  }
  if (options.region !== undefined && (typeof options.region !== 'string' || options.region === '')) {
    throw new ValidationError('option "region"', 'the name of a region (eu-central-1)', options.region);
  }
  const { endpoint, region, credentials } = options;
  const client = new DynamoDBClient({
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    ...(credentials === undefined ? {} : { credentials }),
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 1_000, httpAgent: { maxSockets: maxConnections }, httpsAgent: { maxSockets: maxConnections } },
  });
  try {
    await client.config.region();
  } catch {
    throw new ValidationError('option "region"', 'given, or set by AWS_REGION or the profile in use', region);
  }
  try {
    // Asked for once here, where it is clear what a failure means; whatever a provider throws, it has no code of the SDK.
    await client.config.credentials();
  } catch (error) {
    throw new StoreFailure('credentials', 'no', `no usable AWS credentials for table "${table}": ${(error as Error).message ?? error}`, {
      cause: error,
      table,
    });
  }
  return { client, close: () => client.destroy() };
}

function isHttpUrl(endpoint: unknown): boolean {
  return typeof endpoint === 'string' && URL.canParse(endpoint) && /^https?:$/.test(new URL(endpoint).protocol);
}
