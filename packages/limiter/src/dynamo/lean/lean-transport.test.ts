import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { openTransport } from '../open-transport.js';

vi.mock('undici', () => {
  throw new Error('Dynamic require of "node:assert" is not supported');
});

describe('the lean transport in a bundle that undici cannot be loaded in', () => {
  it('says so, and what to do about it, and leaves no client open', async () => {
    const client = new DynamoDBClient({ region: 'local', credentials: { accessKeyId: 'AKID', secretAccessKey: 'secret' } });
    const close = vi.fn(() => client.destroy());

    const opening = openTransport('lean', { client, close }, { table: 'millrace', timeoutMs: 1_000, onRequest: () => undefined });

    await expect(opening).rejects.toMatchObject({
      code: 'VALIDATION',
      message: expect.stringMatching(/"transport".*"sdk" where undici cannot be loaded.*bundler/),
    });
    expect(close).toHaveBeenCalledOnce();
  });
});
