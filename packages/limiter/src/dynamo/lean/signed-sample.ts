import { type DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';

/** Where the SDK would send a request, and for which region and service it would sign it. */
export interface SignedSample {
  /** Scheme, host and port: `https://dynamodb.eu-central-1.amazonaws.com`. */
  readonly origin: string;
  readonly path: string;
  /** The `host` header. */
  readonly host: string;
  readonly region: string;
  readonly service: string;
}

/** What the SDK hands to its HTTP client. */
interface HttpRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

const AUTHORIZATION = /^AWS4-HMAC-SHA256 Credential=[^,]*\/\d{8}\/([^/,]+)\/([^/,]+)\/aws4_request,/;

/**
 * Lets the SDK make and sign one request, and takes it out before it is sent. So whatever decides about an address (a
 * profile, the environment, FIPS, dual stack, a partition, an account's own endpoint) is decided by the SDK alone.
 */
export async function signedSample(client: DynamoDBClient): Promise<SignedSample> {
  let request: HttpRequest | undefined;
  const command = new ListTablesCommand({});
  command.middlewareStack.add(
    () => async (args) => {
      request = args.request as HttpRequest;
      return { response: {}, output: { $metadata: {} } };
    },
    { step: 'deserialize', priority: 'high', name: 'takeOut' },
  );
  await client.send(command);
  if (request === undefined) throw new Error('the SDK made no request');
  const { protocol, hostname, port, path, headers } = request;
  const [, region = '', service = ''] = AUTHORIZATION.exec(headers['authorization'] ?? '') ?? [];
  if (region === '') throw new Error('the SDK does not sign with AWS4-HMAC-SHA256 here; open the limiter with transport "sdk"');
  const host = headers['host'] ?? (port === undefined ? hostname : `${hostname}:${port}`);
  return { origin: `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`, path, host, region, service };
}
