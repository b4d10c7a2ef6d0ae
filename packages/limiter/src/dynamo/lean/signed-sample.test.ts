import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { signedSample } from './signed-sample.js';

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };
const sampleOf = (options: DynamoDBClientConfig) => signedSample(new DynamoDBClient({ credentials, ...options }));

describe('where requests go, and what they are signed for', () => {
  it.each([
    { region: 'us-east-1', host: 'dynamodb.us-east-1.amazonaws.com' },
    { region: 'cn-north-1', host: 'dynamodb.cn-north-1.amazonaws.com.cn' },
    { region: 'us-gov-west-1', host: 'dynamodb.us-gov-west-1.amazonaws.com' },
    { region: 'us-iso-east-1', host: 'dynamodb.us-iso-east-1.c2s.ic.gov' },
    { region: 'us-isob-east-1', host: 'dynamodb.us-isob-east-1.sc2s.sgov.gov' },
    { region: 'eu-central-1', options: { useFipsEndpoint: true }, host: 'dynamodb-fips.eu-central-1.amazonaws.com' },
    { region: 'eu-central-1', options: { useDualstackEndpoint: true }, host: 'dynamodb.eu-central-1.api.aws' },
    { region: 'fips-us-east-1', signedFor: 'us-east-1', host: 'dynamodb-fips.us-east-1.amazonaws.com' },
    {
      region: 'us-east-1',
      options: { credentials: { ...credentials, accountId: '123456789012' } },
      host: '123456789012.ddb.us-east-1.amazonaws.com',
    },
  ])('is what the SDK says: $host', async ({ region, options = {}, signedFor = region, host }) => {
    expect(await sampleOf({ region, ...options })).toEqual({
      origin: `https://${host}`,
      path: '/',
      host,
      region: signedFor,
      service: 'dynamodb',
    });
  });

  it('is the endpoint that was given, with its port and path', async () => {
    expect(await sampleOf({ region: 'local', endpoint: 'http://127.0.0.1:8000/engine' })).toMatchObject({
      origin: 'http://127.0.0.1:8000',
      path: expect.stringMatching(/^\/engine\/?$/),
      host: '127.0.0.1:8000',
      region: 'local',
    });
  });

  it('is a local engine where the region is local and no endpoint is given', async () => {
    expect(await sampleOf({ region: 'local' })).toMatchObject({ origin: 'http://localhost:8000', region: 'us-east-1' });
  });

  it('is not found where the SDK finds none either', async () => {
    const both = { useFipsEndpoint: true, endpoint: 'http://127.0.0.1:8000' };

    await expect(sampleOf({ region: 'us-east-1', ...both })).rejects.toThrow(/not supported/);
  });
});
