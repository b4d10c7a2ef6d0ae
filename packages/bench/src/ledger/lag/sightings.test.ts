import { bucketKey, limitAttribute, wireKey } from '@millrace/core';
import { type LambdaStreamRecord, MemoryStream } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { WrongTotals } from '../totals.js';
import { Sightings } from './sightings.js';
import { LAG_LIMIT, LAG_RESOURCE, lagKey } from './writer.js';

const stream = new MemoryStream();

/** The record of a bucket whose counter is there now. */
function record(key: number, used: number, resource = LAG_RESOURCE): LambdaStreamRecord {
  const image = {
    ...wireKey(bucketKey({ namespaceId: 'n', entity: lagKey(key), resource, shard: 0 })),
    [limitAttribute('used', LAG_LIMIT)]: { N: String(used) },
  };
  return stream.append({ newImage: image, atMs: 0 });
}

/** Two changes of one key, sent at 10 and at 20, behind one that warmed it up. */
const written = { sentAtMs: [[10, 20]], elapsedMs: 20 };

describe('the lag of changes', () => {
  it('is from when a write was sent to when the batch with its record was done, in whatever order batches are done', () => {
    const sightings = new Sightings();
    sightings.note([record(0, 100), record(0, 102)], undefined, 50);
    sightings.note([record(0, 101)], { batchItemFailures: [] }, 70);

    expect([...sightings.lagsMs(written)]).toEqual([30, 60]);
    expect(sightings.count).toBe(3);
  });

  it('is that of the first time where a record comes again', () => {
    const sightings = new Sightings();
    for (const nowMs of [50, 90]) sightings.note([record(0, 100), record(0, 101), record(0, 102)], undefined, nowMs);

    expect([...sightings.lagsMs(written)]).toEqual([30, 40]);
  });

  it('ends when a record that failed comes again, and not before', () => {
    const sightings = new Sightings();
    const last = record(0, 102);
    const batch = [record(0, 100), record(0, 101), last];
    sightings.note(batch, { batchItemFailures: [{ itemIdentifier: last.dynamodb.SequenceNumber }] }, 50);
    sightings.note([last], undefined, 90);

    expect([...sightings.lagsMs(written)]).toEqual([40, 70]);
  });

  it.each([
    ['of a change is lacking', [100, 102]],
    ['is one too many', [100, 101, 102, 103]],
  ])('is not told where a record %s', (_, counters) => {
    const sightings = new Sightings();
    sightings.note(
      counters.map((used) => record(0, used)),
      undefined,
      50,
    );

    expect(() => sightings.lagsMs(written)).toThrow(WrongTotals);
  });

  it('leaves out what else the stream tells', () => {
    const sightings = new Sightings();
    sightings.note([record(0, 1, 'other')], undefined, 50);

    expect(sightings.count).toBe(0);
  });
});
