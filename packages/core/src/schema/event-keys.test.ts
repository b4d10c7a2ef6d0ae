import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyName, LONGEST_NAMES } from '../../test/any-name.js';
import { type EventsRef, eventKey, eventNameKey, meterKey, parseMeterKey } from './event-keys.js';
import { bucketKey, parseBucketKey } from './keys.js';

const ID = '01HZZZZZZZZZZZZZZZZZZZZZZZ';
const anyRef: fc.Arbitrary<EventsRef> = fc.record({
  namespaceId: fc.stringMatching(/^[0-9a-z]{1,12}$/),
  entity: anyName,
  resource: anyName,
});
const text = ({ partition, sort }: { readonly partition: string; readonly sort: string }): string => JSON.stringify([partition, sort]);

describe('the keys of usage events', () => {
  const ref = { namespaceId: 'n1', entity: 'key/1', resource: 'openai/gpt-4' };

  it('share a partition for each entity and resource, of which the namespace is the first part', () => {
    expect([eventKey(ref, ID), eventNameKey(ref, 'job/1'), meterKey(ref)]).toEqual([
      { partition: 'n1/v/key%2F1/openai%2Fgpt-4', sort: `e/${ID}` },
      { partition: 'n1/v/key%2F1/openai%2Fgpt-4', sort: 'k/job%2F1' },
      { partition: 'n1/v/key%2F1/openai%2Fgpt-4', sort: 'm/0' },
    ]);
  });

  it('differ for two events, two names, two entities and two resources', () => {
    const differ = fc.property(anyRef, anyRef, anyName, anyName, (a, b, name, other) => {
      const isSameRef = a.namespaceId === b.namespaceId && a.entity === b.entity && a.resource === b.resource;
      expect(text(eventNameKey(a, name)) === text(eventNameKey(b, other))).toBe(isSameRef && name === other);
      expect(text(eventKey(a, ID)) === text(eventKey(b, ID))).toBe(isSameRef);
    });

    fc.assert(differ, { numRuns: 1_000 });
  });

  it('of a meter are read back as what they were made of, and no other key is taken for one', () => {
    const readsBack = fc.property(anyRef, anyName, (own, name) => {
      const { partition, sort } = meterKey(own);
      expect(parseMeterKey(partition, sort)).toEqual({ ...own, shard: 0 });
      expect(parseBucketKey(partition, sort)).toBeUndefined();
      for (const other of [eventKey(own, ID), eventNameKey(own, name), bucketKey({ ...own, shard: 0 })]) {
        expect(parseMeterKey(other.partition, other.sort)).toBeUndefined();
      }
    });

    fc.assert(readsBack, { numRuns: 1_000 });
  });

  it.each(['n1/v/key', 'n1/v/key/', '/v/key/gpt', 'n1/v//gpt', 'n1/v/key/gpt/4', 'n1/b/key/0'])(
    'of a meter are not in "%s"',
    (partition) => {
      expect(parseMeterKey(partition, 'm/0')).toBeUndefined();
      expect(parseMeterKey('n1/v/key/gpt', 'm/')).toBeUndefined();
      expect(parseMeterKey('n1/v/key/gpt', 'm/x')).toBeUndefined();
    },
  );

  it('fit what DynamoDB takes, 2,048 bytes and 1,024, however long the names are', () => {
    for (const name of LONGEST_NAMES) {
      const key = eventNameKey({ namespaceId: 'n'.repeat(12), entity: name, resource: name }, name);
      expect(Buffer.byteLength(key.partition)).toBeLessThanOrEqual(2_048);
      expect(Buffer.byteLength(key.sort)).toBeLessThanOrEqual(1_024);
    }
  });
});
