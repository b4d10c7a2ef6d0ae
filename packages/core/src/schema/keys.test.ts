import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyName, LONGEST_NAMES } from '../../test/any-name.js';
import type { BucketRef } from '../bucket.js';
import {
  bucketKey,
  bucketName,
  childKey,
  entityKey,
  escapeName,
  type ItemKey,
  namespaceKey,
  parseBucketKey,
  unescapeName,
} from './keys.js';

/** Ids of namespaces are made by us, of letters and digits. */
const anyNamespaceId = fc.stringMatching(/^[0-9a-z]{1,12}$/);
const anyRef: fc.Arbitrary<BucketRef> = fc.record({
  namespaceId: anyNamespaceId,
  entity: anyName,
  resource: anyName,
  shard: fc.nat({ max: 31 }),
});

/** Any item of any kind: what it is, in words of its own, and its key. */
const anyItem: fc.Arbitrary<readonly [string, ItemKey]> = fc.oneof(
  anyRef.map((ref) => [JSON.stringify(['bucket', ref]), bucketKey(ref)] as const),
  fc.tuple(anyNamespaceId, anyName).map((parts) => [JSON.stringify(['entity', ...parts]), entityKey(...parts)] as const),
  fc.tuple(anyNamespaceId, anyName, anyName).map((parts) => [JSON.stringify(['child', ...parts]), childKey(...parts)] as const),
  anyName.map((name) => [JSON.stringify(['namespace', name]), namespaceKey(name)] as const),
);

/** Names that differ only in what separates and escapes. */
const CONFUSABLE = [
  'a',
  '/',
  '%',
  '%2F',
  '%25',
  '%252F',
  'a/b',
  'a%2Fb',
  '%2f',
  '//',
  '/%',
  '%/',
  '2F',
  'a/',
  '/a',
  '#',
  'a#b',
  '0',
  'b',
  '/b/',
  '/0',
];

function isSameKey(a: ItemKey, b: ItemKey): boolean {
  return a.partition === b.partition && a.sort === b.sort;
}

describe('the key of a bucket', () => {
  it('names its parts: a partition for each shard of an entity, with its resources in it', () => {
    const key = bucketKey({ namespaceId: 'n1', entity: 'key-1', resource: 'openai/gpt-4', shard: 3 });

    expect(key).toStrictEqual({ partition: 'n1/b/key-1/3', sort: 'openai%2Fgpt-4' });
  });

  it('is read back as what it was made of', () => {
    const readsBack = fc.property(anyRef, (ref) => {
      const { partition, sort } = bucketKey(ref);
      expect(parseBucketKey(partition, sort)).toEqual(ref);
    });

    fc.assert(readsBack, { numRuns: 5_000 });
  });

  const key = (partition: string, sort = 'gpt-4') => ({ partition, sort });

  it.each([
    ['an entity', entityKey('n1', 'key-1')],
    ['a link to a child', childKey('n1', 'project-1', 'key-1')],
    ['the registry', namespaceKey('default')],
    ['nothing', key('', '')],
    ['no namespace', key('/b/key-1/0')],
    ['no entity', key('n1/b//0')],
    ['no resource', key('n1/b/key-1/0', '')],
    ['a resource that was not escaped', key('n1/b/key-1/0', 'openai/gpt-4')],
    ['a part too few', key('n1/b/key-1')],
    ['a part too many', key('n1/b/key-1/gpt-4/0')],
    ['a shard that is no number', key('n1/b/key-1/x')],
    ['a shard below zero', key('n1/b/key-1/-1')],
    ['a shard with a fraction', key('n1/b/key-1/0.5')],
    ['another kind', key('n1/w/key-1/0')],
  ])('is not that of %s', (_, { partition, sort }) => {
    expect(parseBucketKey(partition, sort)).toBeUndefined();
  });

  it('begins with the id of the namespace and a slash, by which a tenant can be fenced in', () => {
    const isFenced = fc.property(anyRef, (ref) => bucketKey(ref).partition.startsWith(`${ref.namespaceId}/`));

    fc.assert(isFenced);
  });
});

describe('two different items', () => {
  it('never have the same key, of whatever kind they are', () => {
    const neighbours = fc.tuple(anyItem, anyItem);

    const differ = fc.property(neighbours, ([[a, aKey], [b, bKey]]) => (a === b) === isSameKey(aKey, bKey));

    fc.assert(differ, { numRuns: 20_000 });
  });

  it('never have the same key where their names differ only in what separates and escapes', () => {
    const keys = CONFUSABLE.flatMap((entity) => CONFUSABLE.map((resource) => bucketName({ namespaceId: 'n', entity, resource, shard: 0 })));

    expect(new Set(keys).size).toBe(CONFUSABLE.length ** 2);
  });

  it('are in different partitions if one is a bucket and the other an entity or a link to a child', () => {
    const apart = fc.property(anyRef, anyName, anyName, (ref, entity, child) => {
      const bucket = bucketKey(ref).partition;
      return bucket !== entityKey(ref.namespaceId, entity).partition && bucket !== childKey(ref.namespaceId, entity, child).partition;
    });

    fc.assert(apart, { numRuns: 2_000 });
  });

  it('are in one partition if one is an entity and the other a link to its child', () => {
    const [entity, child] = [entityKey('n1', 'project-1'), childKey('n1', 'project-1', 'a/b')];

    expect(entity).toStrictEqual({ partition: 'n1/e/project-1', sort: 'entity' });
    expect(child).toStrictEqual({ partition: 'n1/e/project-1', sort: 'child/a%2Fb' });
  });
});

describe('the buckets of 100,000 hostile names', () => {
  /** Names of nothing but what keys are made of, so that as many as can be nearly meet. */
  const hostile = fc.string({ unit: fc.constantFrom('/', '%', '2', '5', 'F', 'b', '0', 'a', ' ', '😀'), minLength: 1, maxLength: 5 });
  const anyHostile: fc.Arbitrary<BucketRef> = fc.record({
    namespaceId: fc.constantFrom('n', 'n1', 'b', '0'),
    entity: hostile,
    resource: hostile,
    shard: fc.constantFrom(0, 1, 2, 10, 31),
  });
  const refs = fc.sample(anyHostile, 100_000);

  it('never have the same key or the same name', () => {
    const different = new Set(refs.map((ref) => JSON.stringify([ref.namespaceId, ref.entity, ref.resource, ref.shard])));
    const keys = new Set(refs.map((ref) => JSON.stringify(bucketKey(ref))));
    const names = new Set(refs.map(bucketName));

    expect([keys.size, names.size]).toEqual([different.size, different.size]);
    expect(different.size).toBeGreaterThan(50_000);
  });

  it('are read back from their keys', () => {
    const lost = refs.filter((ref) => {
      const { partition, sort } = bucketKey(ref);
      const parsed = parseBucketKey(partition, sort);
      return parsed === undefined || Object.entries(ref).some(([part, value]) => parsed[part as keyof BucketRef] !== value);
    });

    expect(lost).toEqual([]);
  });

  it('lie in the partition of their entity and shard, whatever the resource', () => {
    const partitions = new Set(refs.map((ref) => bucketKey(ref).partition));
    const owners = new Set(refs.map(({ namespaceId, entity, shard }) => JSON.stringify([namespaceId, entity, shard])));

    expect(partitions.size).toBe(owners.size);
  });
});

describe('an escaped name', () => {
  it.each(CONFUSABLE)('of %s is read back', (name) => {
    expect(unescapeName(escapeName(name))).toBe(name);
  });

  it('holds no separator, and is read back', () => {
    const readsBack = fc.property(anyName, (name) => !escapeName(name).includes('/') && unescapeName(escapeName(name)) === name);

    fc.assert(readsBack, { numRuns: 5_000 });
  });
});

describe('the longest names', () => {
  const bytes = (text: string): number => Buffer.byteLength(text, 'utf8');

  it.each(LONGEST_NAMES.map((name) => [name.slice(0, 2), name] as const))('of %s keep every key within 2048 and 1024 bytes', (_, name) => {
    const namespaceId = 'n'.repeat(36);

    const keys = [
      bucketKey({ namespaceId, entity: name, resource: name, shard: 999 }),
      entityKey(namespaceId, name),
      childKey(namespaceId, name, name),
      namespaceKey(name),
    ];

    expect(keys.every((key) => bytes(key.partition) <= 2048 && bytes(key.sort) <= 1024)).toBe(true);
  });
});
