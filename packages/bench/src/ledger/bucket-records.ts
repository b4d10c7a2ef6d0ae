import { ATTRIBUTE, bucketKey, counterBase, limitAttribute, SCHEMA_VERSION, type WireItem, wireKey } from '@millrace/core';
import { type LambdaStreamRecord, MemoryStream } from '@millrace/testing';
import type { Share } from './changes.js';

/** The limit whose tokens are taken. */
export const LIMIT = 'tpm';
const RESOURCE = 'model';
const BUCKET_LIVES_SEC = 30 * 86_400;

/** What is in a bucket's item and changes. */
interface Bucket {
  readonly eraUs: number;
  seq: number;
  used: bigint;
  returned: bigint;
  image?: WireItem;
}

/** The records by which a table's stream tells of changes: items with their counters, as the limiter writes them. */
export function recordsOf({ namespaceId, changes }: Share): readonly LambdaStreamRecord[] {
  const stream = new MemoryStream();
  const buckets = new Map<string, Bucket>();
  return changes.map(({ key, atMs, tokens }) => {
    const nowUs = atMs * 1_000;
    const base = counterBase(nowUs);
    const bucket = buckets.get(key) ?? { eraUs: nowUs, seq: nowUs, used: base, returned: base };
    buckets.set(key, bucket);
    const oldImage = bucket.image;
    bucket.seq += 1;
    if (tokens > 0) bucket.used += BigInt(tokens);
    else bucket.returned += BigInt(-tokens);
    bucket.image = imageOf(namespaceId, key, nowUs, bucket);
    return stream.append({ ...(oldImage === undefined ? {} : { oldImage }), newImage: bucket.image, atMs });
  });
}

function imageOf(namespaceId: string, entity: string, nowUs: number, { eraUs, seq, used, returned }: Bucket): WireItem {
  return {
    ...wireKey(bucketKey({ namespaceId, entity, resource: RESOURCE, shard: 0 })),
    [ATTRIBUTE.schemaVersion]: { N: String(SCHEMA_VERSION) },
    [ATTRIBUTE.eraUs]: { N: String(eraUs) },
    [ATTRIBUTE.seq]: { N: String(seq) },
    [ATTRIBUTE.configVersion]: { N: '1' },
    [ATTRIBUTE.ttlSec]: { N: String(Math.ceil(nowUs / 1_000_000) + BUCKET_LIVES_SEC) },
    [limitAttribute('tat', LIMIT)]: { N: String(nowUs) },
    [limitAttribute('used', LIMIT)]: { N: String(used) },
    [limitAttribute('returned', LIMIT)]: { N: String(returned) },
  };
}
