import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyName } from '../../test/any-name.js';
import type { ConfigRef } from '../config.js';
import {
  auditPartition,
  configKey,
  entityKey,
  type ItemKey,
  listKey,
  manifestLockKey,
  manifestStateKey,
  namespaceKey,
  unescapeName,
} from './keys.js';

const anyRef: fc.Arbitrary<ConfigRef> = fc.oneof(
  fc.constant({ level: 'system' } as const),
  anyName.map((resource) => ({ level: 'resource', resource }) as const),
  anyName.map((entity) => ({ level: 'entity-default', entity }) as const),
  anyName.map((entity) => ({ level: 'lineage', entity }) as const),
  fc.tuple(anyName, anyName).map(([entity, resource]) => ({ level: 'entity', entity, resource }) as const),
);
const anyId = fc.constantFrom('0123456789ab', 'ba9876543210');

const textOf = ({ partition, sort }: ItemKey): string => JSON.stringify([partition, sort]);

describe('keys of the configuration', () => {
  it('never collide: two different items have two different keys', () => {
    fc.assert(
      fc.property(anyId, anyRef, anyId, anyRef, (id, ref, otherId, other) => {
        const isSame = id === otherId && JSON.stringify(ref) === JSON.stringify(other);
        expect(textOf(configKey(id, ref)) === textOf(configKey(otherId, other))).toBe(isSame);
      }),
      { numRuns: 20_000 },
    );
  });

  it('never collide with those of lists, audit events, locks and children', () => {
    fc.assert(
      fc.property(anyId, anyRef, anyName, anyName, (id, ref, name, other) => {
        const others = [
          listKey(id, { list: 'entities' }, name),
          listKey(id, { list: 'resources' }, name),
          listKey(id, { list: 'entities-with-limits', resource: other }, name),
          listKey(id, { list: 'managed', manifest: other }, name),
          { partition: auditPartition(id), sort: name },
          { partition: auditPartition(id, other), sort: name },
          manifestLockKey(id, name),
          manifestStateKey(id, name),
          namespaceKey(name),
        ].map(textOf);
        expect(new Set(others).size).toBe(others.length);
        expect(others).not.toContain(textOf(configKey(id, ref)));
      }),
      { numRuns: 5_000 },
    );
  });

  it('begin with the id of the namespace, so that a policy can fence a tenant', () => {
    fc.assert(fc.property(anyId, anyRef, (id, ref) => configKey(id, ref).partition.startsWith(`${id}/`)));
  });

  it("keep an entity's levels in its own partition", () => {
    const { partition, sort } = configKey('id', { level: 'entity', entity: 'a/b', resource: 'c/d' });

    expect(partition).toBe(entityKey('id', 'a/b').partition);
    expect(unescapeName(sort.slice('limits/'.length))).toBe('c/d');
  });
});
