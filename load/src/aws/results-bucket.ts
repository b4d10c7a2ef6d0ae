import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { WorkerOrder, WorkerResult } from '../distributed/order.js';
import type { PutObject } from '../distributed/store-result.js';

/** Longer than some kilobytes ever take. */
const TIMEOUT_MS = 20_000;

function s3(): S3Client {
  return new S3Client({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 3_000, requestTimeout: TIMEOUT_MS },
    // What stands in for S3 has one host, and no name for each bucket.
    forcePathStyle: (process.env['AWS_ENDPOINT_URL_S3'] ?? process.env['AWS_ENDPOINT_URL']) !== undefined,
  });
}

/** Writes to S3 with the worker's own rights. */
export const s3Put: PutObject = async (bucket, key, body) => {
  const client = s3();
  try {
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ContentType: 'application/json' }));
  } finally {
    client.destroy();
  }
};

/**
 * Reads what a worker left in the results bucket.
 *
 * @throws when it left nothing there, or the bucket does not let us read
 */
export async function storedResult({ results, worker }: WorkerOrder): Promise<WorkerResult> {
  if (results === undefined) throw new Error(`worker ${worker} was given no results bucket to answer in`);
  const client = s3();
  try {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: results.bucket, Key: results.key }));
    return JSON.parse((await Body?.transformToString()) ?? '') as WorkerResult;
  } finally {
    client.destroy();
  }
}
