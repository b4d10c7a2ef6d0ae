import { createHash, createHmac } from 'node:crypto';
import type { SigningCredentials, SigningScope } from '@millrace/limiter/wire';
import { SignatureV4 } from '@smithy/signature-v4';
import fc from 'fast-check';

/** One request to sign: whoever signs it is told all of it. */
export interface SigningCase {
  readonly scope: SigningScope;
  readonly credentials: SigningCredentials;
  readonly target: string;
  readonly body: string;
  readonly nowMs: number;
}

/** Requests of some regions, keys, paths, bodies and times. Pairs of the same signer are what `signedCases` makes of them. */
export const signingCase: fc.Arbitrary<SigningCase> = fc.record({
  scope: fc.record({
    host: fc.constantFrom('dynamodb.eu-central-1.amazonaws.com', '127.0.0.1:8000', 'dynamodb.cn-north-1.amazonaws.com.cn'),
    path: fc.constantFrom('/', '/prefix', '/a%20b/'),
    region: fc.constantFrom('eu-central-1', 'us-east-1', 'local'),
    service: fc.constant('dynamodb'),
  }),
  credentials: fc.record(
    {
      accessKeyId: fc.stringMatching(/^A[SK]IA[A-Z2-7]{16}$/),
      secretAccessKey: fc.oneof(fc.stringMatching(/^[A-Za-z0-9/+]{40}$/), fc.constant('schlüssel-模型-😀')),
      sessionToken: fc.base64String({ minLength: 4, maxLength: 400 }),
    },
    { requiredKeys: ['accessKeyId', 'secretAccessKey'] },
  ),
  target: fc.constantFrom('DynamoDB_20120810.UpdateItem', 'DynamoDB_20120810.GetItem', 'DynamoDB_20120810.BatchGetItem'),
  body: fc.oneof(fc.json(), fc.string({ unit: 'grapheme', maxLength: 200 }), fc.constant('{"PK":{"S":"n/b/schlüssel/模型-😀"}}')),
  nowMs: fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2099, 11) }),
});

/** The SDK's signature of the same request, over the same headers. */
export async function signedBySdk({ scope, credentials, target, body, nowMs }: SigningCase): Promise<Record<string, string>> {
  const { host, path, region, service } = scope;
  const { sessionToken, ...keys } = credentials;
  const held = sessionToken === undefined ? keys : { ...keys, sessionToken };
  const sdk = new SignatureV4({ credentials: held, region, service, sha256: NodeHash, applyChecksum: false });
  const [hostname = '', port] = host.split(':');
  const request = { method: 'POST', protocol: 'https:', hostname, ...(port === undefined ? {} : { port: Number(port) }), path, query: {} };
  const signed = await sdk.sign({ ...request, headers: { host, 'x-amz-target': target }, body }, { signingDate: new Date(nowMs) });
  const { host: _, 'x-amz-target': __, ...headers } = signed.headers;
  return headers;
}

/** A list of names and values as an object. */
export function headersOf(list: readonly string[]): Record<string, string> {
  return Object.fromEntries(list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1] ?? '']] : [])));
}

/** What the SDK's signer asks of a hash. */
class NodeHash {
  #hash;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return new Uint8Array(this.#hash.digest());
  }

  reset(): void {
    this.#hash = createHash('sha256');
  }
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Buffer {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.from(data);
}
