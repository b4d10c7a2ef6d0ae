import { randomUUID } from 'node:crypto';
import type { BucketRef, BucketStore } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { AWKWARD_NAMES } from './awkward-names.js';
import { NOW_US, ScratchBucket } from './scratch-bucket.js';

/** Buckets whose names look alike. */
export function describeNames(store: () => BucketStore): void {
  async function expectApart(refs: readonly Omit<BucketRef, 'namespaceId'>[], namespaceIds = [randomUUID().slice(0, 12)]): Promise<void> {
    const buckets = namespaceIds.flatMap((namespaceId) => refs.map((ref) => new ScratchBucket(store(), { ...ref, namespaceId })));
    for (const [index, bucket] of buckets.entries()) {
      await bucket.written([{ form: 'revive', limit: 'rpm', tokens: 1 }], { nowUs: NOW_US + index });
    }

    const found = await Promise.all(buckets.map((bucket) => bucket.read()));

    expect(found.map((state) => state?.limits.get('rpm')?.tatUs)).toEqual(buckets.map((_, index) => NOW_US + index));
  }

  describe('buckets stay apart', () => {
    it('by the names of entities', async () => {
      await expectApart(AWKWARD_NAMES.map((entity) => ({ entity, resource: 'r', shard: 0 })));
    });

    it('by the names of resources', async () => {
      await expectApart(AWKWARD_NAMES.map((resource) => ({ entity: 'e', resource, shard: 0 })));
    });

    it('where the border between two names moves', async () => {
      const pairs = [
        ['a/b', 'c'],
        ['a', 'b/c'],
        ['a%2Fb', 'c'],
        ['a', 'b%2Fc'],
        ['a/', 'c'],
        ['a', '/c'],
        ['a/b/c', '0'],
        ['a/b', 'c/0'],
        ['/'.repeat(256), '%'.repeat(256)],
        ['%'.repeat(256), '/'.repeat(256)],
        ['🦀'.repeat(64), '🦀'.repeat(64)],
      ] as const;

      await expectApart(pairs.map(([entity, resource]) => ({ entity, resource, shard: 0 })));
    });

    it('by their shards', async () => {
      await expectApart([0, 1, 10, 31].map((shard) => ({ entity: 'e', resource: 'r', shard })));
    });

    it('by their namespaces', async () => {
      const id = randomUUID().slice(0, 8);

      await expectApart(
        ['e', '1/e', 'b'].map((entity) => ({ entity, resource: 'r', shard: 0 })),
        [id, `${id}1`, `${id}b`],
      );
    });
  });
}
