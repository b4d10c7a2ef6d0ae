import type { LambdaStreamRecord, PumpCheckpoints, StreamSource } from '@millrace/testing';

const NOTHING_YET = 0.3;

/** Names the item that a record is of; engines tell the parts of a key in any order. */
export function itemName({ dynamodb }: LambdaStreamRecord): string {
  return JSON.stringify([dynamodb.Keys['PK'], dynamodb.Keys['SK']]);
}

/** Records in a stream whose shards run apart: of each there is, at times, nothing to be had. An item is in one shard only. */
export class LaggingStream implements StreamSource {
  readonly #shards = new Map<string, LambdaStreamRecord[]>();
  readonly #random: () => number;

  constructor(records: readonly LambdaStreamRecord[], shardCount: number, random: () => number) {
    this.#random = random;
    const items = new Map<string, number>();
    for (const record of records) {
      const item = itemName(record);
      const number = items.get(item) ?? items.size;
      items.set(item, number);
      const id = `shard-${number % shardCount}`;
      this.#shards.set(id, [...(this.#shards.get(id) ?? []), record]);
    }
  }

  async shards(): Promise<readonly { readonly id: string }[]> {
    return [...this.#shards.keys()].map((id) => ({ id }));
  }

  async read(id: string, after: string | undefined, limit: number) {
    const records = this.#shards.get(id) ?? [];
    const start = after === undefined ? 0 : records.findIndex(({ dynamodb }) => dynamodb.SequenceNumber === after) + 1;
    const page = this.#random() < NOTHING_YET ? [] : records.slice(start, start + limit);
    return { records: page, isEnd: false };
  }

  /** Whether all shards were delivered to their ends. */
  isAtEnd(checkpoints: PumpCheckpoints): boolean {
    return [...this.#shards].every(([id, records]) => checkpoints.get(id)?.after === records.at(-1)?.dynamodb.SequenceNumber);
  }
}
