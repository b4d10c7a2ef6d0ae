import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RequestSigner, type SigningCredentials, type SigningScope } from '../../wire/request-signer.js';
import { NODE_HASHING } from './node-hashing.js';

const SEQUENCES = 1_000;
const REQUESTS = 10;

/** A region of each partition, with where DynamoDB is there. */
const REGIONS = [
  ['us-east-1', 'amazonaws.com'],
  ['eu-central-2', 'amazonaws.com'],
  ['cn-north-1', 'amazonaws.com.cn'],
  ['us-gov-west-1', 'amazonaws.com'],
  ['us-iso-east-1', 'c2s.ic.gov'],
  ['us-isob-east-1', 'sc2s.sgov.gov'],
  ['eu-isoe-west-1', 'cloud.adc-e.uk'],
  ['us-isof-south-1', 'csp.hci.ic.gov'],
  ['eusc-de-east-1', 'amazonaws.eu'],
  ['local', 'localhost'],
] as const;

const scope: fc.Arbitrary<SigningScope> = fc
  .record({
    region: fc.constantFrom(...REGIONS),
    port: fc.option(fc.integer({ min: 1, max: 65_535 })),
    path: fc.oneof(
      fc.constantFrom('/', '', '/prefix', '/prefix/', '//a//b', '/a/./b/../c/', '/../x', '/%20a', '/sp ace', "/quote'(!)*", '/ünï/😀'),
      fc.webPath(),
    ),
  })
  .map(({ region: [region, suffix], port, path }) => ({
    host: `dynamodb.${region}.${suffix}${port === null ? '' : `:${port}`}`,
    path,
    region,
    service: 'dynamodb',
  }));

const credentials: fc.Arbitrary<SigningCredentials> = fc.record(
  {
    accessKeyId: fc.stringMatching(/^A[SK]IA[A-Z2-7]{16}$/),
    secretAccessKey: fc.oneof(fc.stringMatching(/^[A-Za-z0-9/+]{40}$/), fc.string({ unit: 'binary', minLength: 1 })),
    sessionToken: fc.oneof(fc.base64String({ minLength: 4, maxLength: 800 }), fc.constantFrom('', ' with  blanks ', 'a\tb')),
  },
  { requiredKeys: ['accessKeyId', 'secretAccessKey'] },
);

const body = fc.oneof(fc.json(), fc.string({ unit: 'grapheme', maxLength: 300 }), fc.constant('{"PK":{"S":"n/b/schlüssel/模型-😀"}}'));
const DAY_MS = 86_400_000;
/** Many years, the ends of days, and seconds that follow each other. */
const time = fc.oneof(
  fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2099, 11) }),
  fc.tuple(fc.integer({ min: 15_000, max: 30_000 }), fc.integer({ min: -1_500, max: 1_500 })).map(([day, ms]) => day * DAY_MS + ms),
  fc.integer({ min: 1_800_000_000_000, max: 1_800_000_003_000 }),
);

const request = fc.record({
  who: fc.nat({ max: 2 }),
  target: fc.constantFrom('DynamoDB_20120810.UpdateItem', 'DynamoDB_20120810.GetItem', 'DynamoDB_20120810.BatchGetItem'),
  text: body,
  nowMs: time,
});

async function signedBySdk({ host, path, region }: SigningScope, signer: SigningCredentials, target: string, text: string, nowMs: number) {
  const { sessionToken, ...keys } = signer;
  const held = sessionToken === undefined ? keys : { ...keys, sessionToken };
  const sdk = new SignatureV4({ credentials: held, region, service: 'dynamodb', sha256: Sha256, applyChecksum: false });
  const headers = { host, 'x-amz-target': target };
  const [hostname = '', port] = host.split(':');
  const unsigned = { method: 'POST', protocol: 'https:', hostname, ...(port === undefined ? {} : { port: Number(port) }), path, query: {} };
  return (await sdk.sign({ ...unsigned, headers, body: text }, { signingDate: new Date(nowMs) })).headers;
}

function asObject(list: readonly string[]): Record<string, string | undefined> {
  return Object.fromEntries(list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1]]] : [])));
}

describe('a signature', () => {
  it(`is the SDK's, over ${SEQUENCES * REQUESTS} requests of any partition, credentials, body and time`, async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(
        scope,
        fc.array(credentials, { minLength: 3, maxLength: 3 }),
        fc.array(request, { minLength: REQUESTS, maxLength: REQUESTS }),
        async (where, people, requests) => {
          // One signer for all of them: what it keeps of one request must not reach another one that differs.
          const signer = new RequestSigner(where, NODE_HASHING);
          for (const { who, target, text, nowMs } of requests) {
            const person = people[who] as SigningCredentials;
            const ours = asObject(signer.sign(person, target, Buffer.from(text), nowMs));
            const { host, 'x-amz-target': said, ...theirs } = await signedBySdk(where, person, target, text, nowMs);
            expect(ours).toEqual(theirs);
            compared += 1;
          }
        },
      ),
      { numRuns: SEQUENCES },
    );
    expect(compared).toBeGreaterThanOrEqual(SEQUENCES * REQUESTS);
  });

  it('is of the right day on both sides of midnight, and back again', () => {
    const signer = new RequestSigner({ host: 'localhost', path: '/', region: 'local', service: 'dynamodb' }, NODE_HASHING);
    const person = { accessKeyId: 'AKID', secretAccessKey: 'secret' };
    const midnight = Date.UTC(2027, 0, 1);
    const days = [midnight - 1, midnight, midnight - 1].map((nowMs) => asObject(signer.sign(person, 't', Buffer.of(), nowMs)));

    expect(days.map((headers) => headers['authorization']?.slice(0, 45))).toEqual([
      'AWS4-HMAC-SHA256 Credential=AKID/20261231/loc',
      'AWS4-HMAC-SHA256 Credential=AKID/20270101/loc',
      'AWS4-HMAC-SHA256 Credential=AKID/20261231/loc',
    ]);
    expect(days[0]).toEqual(days[2]);
  });
});
