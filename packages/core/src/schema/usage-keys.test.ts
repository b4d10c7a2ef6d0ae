import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyName, LONGEST_NAMES } from '../../test/any-name.js';
import { bucketKey } from './keys.js';
import { parseUsageKey, usageKey, usageSort, WINDOW_TYPES, type WindowRef, windowName } from './usage-keys.js';

const START_MS = 1_800_003_600_000;
const anyRef: fc.Arbitrary<WindowRef> = fc.record({
  bucket: fc.record({
    namespaceId: fc.stringMatching(/^[0-9a-z]{1,12}$/),
    entity: anyName,
    resource: anyName,
    shard: fc.nat({ max: 31 }),
  }),
  eraUs: fc.oneof(fc.constant(0), fc.integer({ min: 1_700_000_000_000_000, max: 1_900_000_000_000_000 })),
  type: fc.constantFrom(...WINDOW_TYPES),
  startMs: fc.integer({ min: 1_700_000_000, max: 1_900_000_000 }).map((sec) => sec * 1_000),
});
const anySource = fc.constantFrom({}, { source: 'events' } as const);
const refOf = (more: Partial<WindowRef> = {}): WindowRef => ({
  bucket: { namespaceId: 'n1', entity: 'key-1', resource: 'openai/gpt-4', shard: 3 },
  eraUs: 1_800_000_000_000_000,
  type: 'hour',
  startMs: START_MS,
  ...more,
});

describe('the key of a usage window', () => {
  it('names its parts: a partition for each entity, with its types, resources and times in it', () => {
    expect(usageKey(refOf())).toStrictEqual({
      partition: 'n1/u/key-1',
      sort: 'hour/openai%2Fgpt-4/2027-01-15T09:00:00Z/3/1800000000000000',
    });
  });

  it('is read back as what it was made of, so two windows never have one key', () => {
    const readsBack = fc.property(anyRef, anySource, (bucketRef, source) => {
      const ref = { ...bucketRef, ...source };
      const { partition, sort } = usageKey(ref);
      expect(parseUsageKey(partition, sort)).toEqual(ref);
    });

    fc.assert(readsBack, { numRuns: 5_000 });
  });

  it('differs between what buckets gave out and what was recorded of leases; of the latter none is in the index', () => {
    const recorded = refOf({ source: 'events' });

    expect(usageKey(recorded)).toStrictEqual({ partition: 'n1/uv/key-1', sort: usageKey(refOf()).sort });
    expect([windowName(recorded), typeof windowName(refOf())]).toEqual([undefined, 'string']);
  });

  it('differs between an hour and a day that begin at the same midnight (in a peer the two are one record)', () => {
    expect(usageKey(refOf({ type: 'hour' }))).not.toEqual(usageKey(refOf({ type: 'day' })));
  });

  it('lies between the texts of two moments exactly if its window begins at or after the one, and before the other', () => {
    const sec = fc.integer({ min: -3, max: 3 }).map((offset) => START_MS + offset * 1_000);

    const sorts = fc.property(sec, sec, anyRef, (fromMs, toMs, { bucket, eraUs }) => {
      const { sort } = usageKey(refOf({ bucket, eraUs }));
      const [from, to] = [usageSort('hour', bucket.resource, fromMs), usageSort('hour', bucket.resource, toMs)];
      expect(sort >= from && sort < to).toBe(fromMs <= START_MS && START_MS < toMs);
    });

    fc.assert(sorts);
  });

  it.each([
    ['a bucket', bucketKey(refOf().bucket)],
    ['no type', { partition: 'n1/u/key-1', sort: 'year/gpt-4/2027-01-15T09:00:00Z/0/0' }],
    ['no moment', { partition: 'n1/u/key-1', sort: 'hour/gpt-4/2027-02-30T09:00:00Z/0/0' }],
    ['no shard', { partition: 'n1/u/key-1', sort: 'hour/gpt-4/2027-01-15T09:00:00Z/x/0' }],
    ['no era', { partition: 'n1/u/key-1', sort: 'hour/gpt-4/2027-01-15T09:00:00Z/0/' }],
    ['a part too few', { partition: 'n1/u/key-1', sort: 'hour/gpt-4/2027-01-15T09:00:00Z/0' }],
    ['a part too many', { partition: 'n1/u/key-1', sort: 'hour/gpt-4/2027-01-15T09:00:00Z/0/0/0' }],
    ['a partition of more parts', { partition: 'n1/u/key-1/0', sort: 'hour/gpt-4/2027-01-15T09:00:00Z/0/0' }],
    ['no entity', { partition: 'n1/u/', sort: 'hour/gpt-4/2027-01-15T09:00:00Z/0/0' }],
  ])('is not that of %s', (_, { partition, sort }) => {
    expect(parseUsageKey(partition, sort)).toBeUndefined();
  });

  it.each(LONGEST_NAMES.map((name) => [name.slice(0, 2), name] as const))('of the longest name of %s fits DynamoDB', (_, name) => {
    const bucket = { namespaceId: 'n'.repeat(36), entity: name, resource: name, shard: 999 };
    const { partition, sort } = usageKey(refOf({ bucket, type: 'month' }));

    expect(Buffer.byteLength(partition)).toBeLessThanOrEqual(2048);
    expect(Buffer.byteLength(sort)).toBeLessThanOrEqual(1024);
  });
});
