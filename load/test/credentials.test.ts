import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Credentials } from '../src/k6/credentials.js';

const NOW_MS = 1_800_000_000_000;
let server: Server;
let asked: (string | undefined)[];
let served: object;

beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    asked.push(request.headers.authorization);
    response.end(JSON.stringify(served));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

const service = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;

describe('credentials', () => {
  it('are those of the environment, for ever', () => {
    const env = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret', AWS_SESSION_TOKEN: 'token' };

    expect(new Credentials(env).at(NOW_MS)).toEqual({ accessKeyId: 'key', secretAccessKey: 'secret', sessionToken: 'token' });
    expect(new Credentials({ ...env, AWS_SESSION_TOKEN: '' }).at(NOW_MS)).toEqual({ accessKeyId: 'key', secretAccessKey: 'secret' });
  });

  it('of a service are asked for once by all who wait, and again before they end', async () => {
    served = { AccessKeyId: 'key', SecretAccessKey: 'secret', Token: 'token', Expiration: new Date(NOW_MS).toISOString() };
    const credentials = new Credentials({
      AWS_CONTAINER_CREDENTIALS_FULL_URI: service(),
      AWS_CONTAINER_AUTHORIZATION_TOKEN: 'sesame',
      // A service knows better than what a worker was started with.
      AWS_ACCESS_KEY_ID: 'old',
      AWS_SECRET_ACCESS_KEY: 'old',
    });
    expect(credentials.at(NOW_MS)).toBeUndefined();

    const [first, second] = await Promise.all([credentials.ask(), credentials.ask()]);

    expect([first, second].map(({ accessKeyId }) => accessKeyId)).toEqual(['key', 'key']);
    expect(asked).toEqual(['sesame']);
    expect(credentials.at(NOW_MS - 300_001)).toBe(first);
    expect(credentials.at(NOW_MS - 300_000)).toBeUndefined();
  });

  it('that nobody has are a failure that says so', async () => {
    await expect(new Credentials({}).ask()).rejects.toMatchObject({ name: 'CredentialsProviderError' });
    await expect(new Credentials({ AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://127.0.0.1:1/' }).ask()).rejects.toMatchObject({
      name: 'CredentialsProviderError',
    });
  });
});
