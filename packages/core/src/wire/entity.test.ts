import { describe, expect, it } from 'vitest';
import { refusal } from '../../test/refusal.js';
import type { WireItem } from './attribute-value.js';
import { entityFromItem } from './entity.js';

const ITEM: WireItem = {
  PK: { S: 'n1/e/key%2F1' },
  SK: { S: 'entity' },
  v: { N: '1' },
  name: { S: 'key/1' },
  parent: { S: 'project-1' },
  pver: { N: '1800000000000' },
  cascade: { BOOL: true },
  ancestors: { L: [{ S: 'project-1' }, { S: 'org' }] },
  charged: { N: '2' },
  children: { N: '3' },
  ver: { N: '1800000000001' },
  at: { N: '1800000000001' },
  deleted: { BOOL: false },
};

describe('an entity', () => {
  it('is read with its place and its versions', () => {
    expect(entityFromItem(ITEM)).toStrictEqual({
      id: 'key/1',
      parent: 'project-1',
      parentVersion: 1_800_000_000_000,
      cascade: true,
      ancestors: ['project-1', 'org'],
      chargedCount: 2,
      version: 1_800_000_000_001,
      createdAtMs: 1_800_000_000_001,
      childCount: 3,
      deleted: false,
    });
  });

  it('without a parent has none, and of an item that says little it is assumed to charge nobody', () => {
    expect(entityFromItem({ name: { S: 'lone' }, v: { N: '1' } })).toStrictEqual({
      id: 'lone',
      cascade: false,
      ancestors: [],
      chargedCount: 0,
      version: 0,
      createdAtMs: 0,
      childCount: 0,
      deleted: false,
    });
  });

  it('of a schema two ahead is refused by its name', () => {
    const error = refusal(() => entityFromItem({ ...ITEM, v: { N: '3' } }));

    expect(error).toMatchObject({ code: 'SCHEMA_VERSION', message: expect.stringContaining('entity "key/1" has schema version 3') });
  });
});
