import type { Clock } from '@millrace/core';
import type { ArchiveStore } from '../ports.js';
import { encodePath, type SigningKeys, signPut } from './sign-put.js';

/** Where the archive is, and how it is reached. */
export interface S3ArchiveOptions {
  readonly bucket: string;
  readonly region: string;
  /** Asked for each request: those of a function change. */
  readonly credentials: () => Promise<SigningKeys>;
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Of something else than AWS: the bucket is then part of the path. @default - AWS's own, in the region */
  readonly endpoint?: string;
  /** @default - Node's own */
  readonly fetch?: typeof fetch;
}

const PRECONDITION_FAILED = 412;

/**
 * The archive in a bucket of S3. It never writes an object twice, so that a bucket with versions or a lock holds one of
 * each. It speaks to S3 itself: one call needs no client, whose description of the two hundred others would be a quarter
 * of the function. It repeats nothing: the batch comes again.
 */
export class S3Archive implements ArchiveStore {
  readonly #options: S3ArchiveOptions;

  constructor(options: S3ArchiveOptions) {
    this.#options = options;
  }

  async put(key: string, body: Uint8Array): Promise<'stored' | 'known'> {
    const { bucket, region, credentials, timeoutMs, clock, fetch: send = fetch } = this.#options;
    const url = this.#urlOf(key);
    const headers = { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip', 'if-none-match': '*' };
    const signed = signPut({ url, headers, body, region, nowMs: clock.nowMs(), keys: await credentials() });
    const { host: _, ...sent } = signed;
    // A copy: the type of a body wants to know that nobody else holds its bytes.
    const request = { method: 'PUT', headers: sent, body: new Uint8Array(body), signal: AbortSignal.timeout(timeoutMs) };
    const answer = await send(url, request);
    const said = await answer.text();
    if (answer.ok) return 'stored';
    if (answer.status === PRECONDITION_FAILED) return 'known';
    const code = /<Code>([^<]*)<\/Code>/.exec(said)?.[1] ?? 'no code';
    throw new Error(`bucket "${bucket}" did not take an audit event: ${answer.status} ${code}`);
  }

  #urlOf(key: string): URL {
    const { bucket, region, endpoint } = this.#options;
    const path = encodePath(key);
    if (endpoint !== undefined) return new URL(`${endpoint.replace(/\/$/, '')}/${bucket}/${path}`);
    const site = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
    // A certificate's star is no more than one name, so a bucket with a dot goes into the path.
    return new URL(bucket.includes('.') ? `https://${site}/${bucket}/${path}` : `https://${bucket}.${site}/${path}`);
  }
}
