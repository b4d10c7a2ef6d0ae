import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { PutObject } from './store-result.js';

/** Longer than an upload of some kilobytes ever needs. */
const TIMEOUT_MS = 20_000;

/** Writes to S3 with the worker's own rights. */
export const s3Put: PutObject = async (bucket, key, body) => {
  const client = new S3Client({ maxAttempts: 3 });
  try {
    const request = new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ContentType: 'application/json' });
    await client.send(request, { abortSignal: AbortSignal.timeout(TIMEOUT_MS) });
  } finally {
    client.destroy();
  }
};
