import type { WireItem } from '@millrace/core';
import type { LambdaStreamRecord, StreamPage, StreamShard, StreamSource } from './stream-record.js';

/** A write as a stream tells it. Without an old image it is an insert, without a new one a removal. */
export interface MemoryChange {
  readonly oldImage?: WireItem;
  readonly newImage?: WireItem;
  /** When it happened; a stream tells it in whole seconds. */
  readonly atMs: number;
  /** Whether DynamoDB removed the item because it had expired. */
  readonly isExpiry?: boolean;
}

const SEQUENCE_DIGITS = 21;
const EXPIRED_BY = { type: 'Service', principalId: 'dynamodb.amazonaws.com' };

/** A stream in memory: items are spread over shards by their keys, and each shard keeps the order in which they came. */
export class MemoryStream implements StreamSource {
  readonly #shards: { readonly shard: StreamShard; readonly records: LambdaStreamRecord[]; isClosed: boolean }[];
  #sequence = 0;

  constructor(shardCount = 1) {
    this.#shards = Array.from({ length: shardCount }, (_, index) => newShard(`shard-${index}`));
  }

  /** Adds a record, and gives it back. */
  append(change: MemoryChange): LambdaStreamRecord {
    const record = this.#record(change);
    const open = this.#shards.filter(({ isClosed }) => !isClosed);
    open[hashOf(itemName(record)) % open.length]?.records.push(record);
    return record;
  }

  /** Closes each shard and lets two go on from it, as DynamoDB does while a table grows. */
  split(): void {
    for (const parent of this.#shards.filter(({ isClosed }) => !isClosed)) {
      parent.isClosed = true;
      for (const half of ['a', 'b']) this.#shards.push(newShard(`${parent.shard.id}${half}`, parent.shard.id));
    }
  }

  async shards(): Promise<readonly StreamShard[]> {
    return this.#shards.map(({ shard }) => shard);
  }

  async read(id: string, after: string | undefined, limit: number): Promise<StreamPage> {
    const found = this.#shards.find(({ shard }) => shard.id === id);
    if (found === undefined) return { records: [], isEnd: true };
    const start = after === undefined ? 0 : found.records.findIndex(({ dynamodb }) => dynamodb.SequenceNumber === after) + 1;
    const records = found.records.slice(start, start + limit);
    return { records, isEnd: found.isClosed && start + records.length === found.records.length };
  }

  #record({ oldImage, newImage, atMs, isExpiry = false }: MemoryChange): LambdaStreamRecord {
    this.#sequence += 1;
    const image = newImage ?? oldImage ?? {};
    return {
      eventID: `event-${this.#sequence}`,
      eventName: oldImage === undefined ? 'INSERT' : newImage === undefined ? 'REMOVE' : 'MODIFY',
      eventVersion: '1.1',
      eventSource: 'aws:dynamodb',
      awsRegion: 'us-east-1',
      eventSourceARN: 'arn:aws:dynamodb:us-east-1:000000000000:table/memory/stream/1',
      ...(isExpiry ? { userIdentity: EXPIRED_BY } : {}),
      dynamodb: {
        ApproximateCreationDateTime: Math.floor(atMs / 1000),
        Keys: Object.fromEntries(Object.entries(image).filter(([name]) => name === 'PK' || name === 'SK')),
        ...(newImage === undefined ? {} : { NewImage: structuredClone(newImage) }),
        ...(oldImage === undefined ? {} : { OldImage: structuredClone(oldImage) }),
        // As many digits for each, so that the order of the texts is that of the numbers.
        SequenceNumber: `1${String(this.#sequence).padStart(SEQUENCE_DIGITS - 1, '0')}`,
        SizeBytes: JSON.stringify(image).length,
        StreamViewType: 'NEW_AND_OLD_IMAGES',
      },
    };
  }
}

function newShard(id: string, parent?: string) {
  return { shard: { id, ...(parent === undefined ? {} : { parent }) }, records: [] as LambdaStreamRecord[], isClosed: false };
}

/** Names the item that a record is about. */
export function itemName({ dynamodb }: LambdaStreamRecord): string {
  return JSON.stringify([dynamodb.Keys['PK'], dynamodb.Keys['SK']]);
}

/** A number for a text, the same for the same text (FNV-1a). */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash;
}
