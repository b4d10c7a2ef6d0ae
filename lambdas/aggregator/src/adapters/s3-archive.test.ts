import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import { describe, expect, it } from 'vitest';
import { S3Archive } from './s3-archive.js';
import { encodePath, signPut } from './sign-put.js';

const NOW_MS = Date.UTC(2026, 4, 13, 10, 20, 30);
const keys = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', sessionToken: 'token/+=' };
const body = new TextEncoder().encode('some bytes');

describe('the signature of a put', () => {
  it.each([keys, { ...keys, sessionToken: undefined }])('is the one that the SDK makes', async ({ sessionToken, ...pair }) => {
    const credentials = sessionToken === undefined ? pair : { ...pair, sessionToken };
    const path = `/${encodePath("audit/date=2026-05-13/namespace=n1/it's (one)*.json.gz")}`;
    const headers = { 'content-type': 'application/x-ndjson', 'if-none-match': '*' };
    const signer = new SignatureV4({ credentials, region: 'eu-central-1', service: 's3', sha256: Sha256, uriEscapePath: false });

    const ours = signPut({
      url: new URL(`https://b.s3.eu-central-1.amazonaws.com${path}`),
      headers,
      body,
      region: 'eu-central-1',
      nowMs: NOW_MS,
      keys: credentials,
    });
    const theirs = await signer.sign(
      {
        method: 'PUT',
        protocol: 'https:',
        hostname: 'b.s3.eu-central-1.amazonaws.com',
        path,
        headers: { ...headers, host: 'b.s3.eu-central-1.amazonaws.com', 'x-amz-content-sha256': ours['x-amz-content-sha256'] ?? '' },
        body,
      },
      { signingDate: new Date(NOW_MS) },
    );

    expect(ours['authorization']).toBe(theirs.headers['authorization']);
  });
});

/** An archive in front of a server that answers so. */
function archiveOf(answer: () => Response, more: { bucket?: string; region?: string; endpoint?: string } = {}) {
  const asked: { url: string; headers: Headers }[] = [];
  const send = (async (url: URL, init: RequestInit) => {
    asked.push({ url: String(url), headers: new Headers(init.headers) });
    return answer();
  }) as typeof fetch;
  const clock = { nowMs: () => NOW_MS };
  const options = { bucket: 'audit', region: 'eu-central-1', credentials: async () => keys, timeoutMs: 1_000, clock, fetch: send };
  return { archive: new S3Archive({ ...options, ...more }), asked };
}

describe('the archive', () => {
  it('stores an object only where there is none', async () => {
    const { archive, asked } = archiveOf(() => new Response(''));

    expect(await archive.put('audit/a.json.gz', body)).toBe('stored');

    expect(asked[0]?.headers.get('if-none-match')).toBe('*');
    expect(asked[0]?.headers.get('content-encoding')).toBe('gzip');
  });

  it('takes an object that is there already for an answer', async () => {
    const { archive } = archiveOf(() => new Response('<Error><Code>PreconditionFailed</Code></Error>', { status: 412 }));

    expect(await archive.put('audit/a.json.gz', body)).toBe('known');
  });

  it.each([
    [403, 'AccessDenied'],
    [409, 'ConditionalRequestConflict'],
    [503, 'SlowDown'],
  ])('fails where it is answered %i, and says what S3 said', async (status, code) => {
    const { archive } = archiveOf(() => new Response(`<Error><Code>${code}</Code></Error>`, { status }));

    await expect(archive.put('audit/a.json.gz', body)).rejects.toThrow(`bucket "audit" did not take an audit event: ${status} ${code}`);
  });

  it('does not wait for an answer for longer than it may', async () => {
    const send = ((_: URL, { signal }: RequestInit) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
      })) as typeof fetch;
    const options = {
      bucket: 'audit',
      region: 'eu-central-1',
      credentials: async () => keys,
      timeoutMs: 20,
      clock: { nowMs: () => NOW_MS },
    };

    await expect(new S3Archive({ ...options, fetch: send }).put('a', body)).rejects.toThrow(/timeout/i);
  });

  it.each([
    [{}, 'https://audit.s3.eu-central-1.amazonaws.com/a'],
    [{ region: 'cn-north-1' }, 'https://audit.s3.cn-north-1.amazonaws.com.cn/a'],
    [{ bucket: 'our.audit' }, 'https://s3.eu-central-1.amazonaws.com/our.audit/a'],
    [{ endpoint: 'http://127.0.0.1:9000/' }, 'http://127.0.0.1:9000/audit/a'],
  ])('is found at its place: %o', async (options, url) => {
    const { archive, asked } = archiveOf(() => new Response(''), options);

    await archive.put('a', body);

    expect(asked[0]?.url).toBe(url);
  });
});
