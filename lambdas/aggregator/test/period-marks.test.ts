import { describe, expect, it } from 'vitest';
import { AT_MS, BucketWorld, NotedMarks, sequences, worldOf } from './batch-world.js';

describe('the marks of periods that are to be sealed', () => {
  it('are one for each namespace, resource and window of the types that are sealed, with its end in the zone of the namespace', async () => {
    const [bucket, periods] = [new BucketWorld(), new NotedMarks()];
    const { invoke } = worldOf({ periods, zones: { zoneOf: async (id) => (id === 'n1' ? 'UTC' : 'Asia/Tokyo') } });

    await invoke([bucket.take('a', 1), bucket.take('b', 1), bucket.take('a', 1), bucket.take('a', 1, AT_MS, 'n2')]);

    expect(
      periods.periods.map(({ namespaceId, resource, type, startMs, endMs }) =>
        [namespaceId, resource, type, new Date(startMs).toISOString(), new Date(endMs).toISOString()].join(' '),
      ),
    ).toEqual([
      'n1 gpt-4 day 2026-05-13T00:00:00.000Z 2026-05-14T00:00:00.000Z',
      'n1 gpt-4 month 2026-05-01T00:00:00.000Z 2026-06-01T00:00:00.000Z',
      'n2 gpt-4 day 2026-05-12T15:00:00.000Z 2026-05-13T15:00:00.000Z',
      'n2 gpt-4 month 2026-04-30T15:00:00.000Z 2026-05-31T15:00:00.000Z',
    ]);
  });

  it('that cannot be written make all records of the period come again, and no others', async () => {
    const [bucket, periods] = [new BucketWorld(), new NotedMarks()];
    const { invoke, metrics, windows } = worldOf({ periods });
    const records = [bucket.take('a', 1), bucket.take('a', 1, AT_MS, 'n2'), bucket.take('b', 1)];
    periods.before = ({ namespaceId }) => {
      if (namespaceId === 'n1') throw new Error('busy');
    };

    expect(await invoke(records)).toEqual(
      sequences(...records.filter(({ dynamodb }) => dynamodb.Keys['PK']?.['S' as never] !== 'n2/b/a/0')),
    );
    expect(metrics.troubles).toMatchObject([{ what: 'period', message: 'busy', records: 2 }]);
    expect(windows.used('b', 'day')).toBe(1);
  });

  it('are not for the meters of usage events: a seal is of what buckets gave out', async () => {
    const [bucket, periods] = [new BucketWorld(), new NotedMarks()];
    const { invoke, metrics } = worldOf({ periods });

    expect(await invoke([bucket.bill('a', 1)])).toEqual([]);

    expect(metrics.sum('windowsWritten')).toBe(4);
    expect(periods.periods).toEqual([]);
  });

  it("are nobody's business where nothing is sealed", async () => {
    const [bucket, { invoke, metrics }] = [new BucketWorld(), worldOf()];

    expect(await invoke([bucket.take('a', 1)])).toEqual([]);
    expect(metrics.sum('windowsWritten')).toBe(4);
  });
});
