import { limitAttribute, parseBucketKey } from '@millrace/core';
import type { BatchResponse, LambdaStreamRecord } from '@millrace/testing';
import { WrongTotals } from '../totals.js';
import { LAG_LIMIT, LAG_RESOURCE, lagKey, type Written } from './writer.js';

const USED = limitAttribute('used', LAG_LIMIT);

/** When the windows first had what a record tells, by key and by the bucket's counter after the change. */
export class Sightings {
  readonly #byKey = new Map<string, Map<bigint, number>>();

  /** Notes what a batch has brought into the windows; the function has answered at that moment. */
  note(records: readonly LambdaStreamRecord[], answer: BatchResponse | undefined, nowMs: number): void {
    const failed = new Set(answer?.batchItemFailures?.map(({ itemIdentifier }) => itemIdentifier));
    for (const { dynamodb } of records) {
      const { Keys: keys, NewImage: image, SequenceNumber: number } = dynamodb;
      const bucket = parseBucketKey(textOf(keys['PK']), textOf(keys['SK']));
      if (bucket?.resource !== LAG_RESOURCE || image?.[USED] === undefined || failed.has(number)) continue;
      const seen = this.#byKey.get(bucket.entity) ?? new Map<bigint, number>();
      this.#byKey.set(bucket.entity, seen);
      const used = BigInt((image[USED] as { N: string }).N);
      if (!seen.has(used)) seen.set(used, nowMs);
    }
  }

  /** How many changes were seen. */
  get count(): number {
    return [...this.#byKey.values()].reduce((sum, seen) => sum + seen.size, 0);
  }

  /**
   * The lag of each change, sorted. What a key was warmed up with is no change.
   *
   * @throws WrongTotals if a key has not exactly one record for each change and one for the warm-up: a write that was shared
   *   would stand for several changes, and one that never came has no lag
   */
  lagsMs({ sentAtMs }: Written): Float64Array {
    const lagsMs = sentAtMs.flatMap((sent, key) => {
      const seen = [...(this.#byKey.get(lagKey(key)) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
      if (seen.length !== sent.length + 1) {
        throw new WrongTotals(`lag: ${lagKey(key)} has ${seen.length} records in the windows, expected ${sent.length + 1}`);
      }
      return sent.map((atMs, index) => (seen[index + 1] as [bigint, number])[1] - atMs);
    });
    return Float64Array.from(lagsMs).sort();
  }
}

function textOf(value: unknown): string {
  return (value as { S?: string } | undefined)?.S ?? '';
}
