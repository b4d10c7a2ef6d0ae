import { describe, expect, it } from 'vitest';
import { refusal } from '../../test/refusal.js';
import { namespaceFromItem, namespaceReadRequest } from './namespace.js';

const NOW_MS = 1_800_000_000_000;
const item = {
  PK: { S: '_/namespaces' },
  SK: { S: 'acme%2Feu' },
  v: { N: '1' },
  name: { S: 'acme/eu' },
  id: { S: 'n7f3' },
  at: { N: `${NOW_MS}` },
};
const acme = { name: 'acme/eu', id: 'n7f3', createdAtMs: NOW_MS };

describe('a namespace', () => {
  it('is read with its name, its id, its state and its times', () => {
    const deleted = { ...item, state: { S: 'deleted' }, del: { N: `${NOW_MS + 5}` } };

    expect(namespaceFromItem({ ...item, state: { S: 'active' } })).toStrictEqual({ ...acme, state: 'active' });
    expect(namespaceFromItem(deleted)).toStrictEqual({ ...acme, state: 'deleted', deletedAtMs: NOW_MS + 5 });
    expect(namespaceFromItem({ ...deleted, state: { S: 'purging' } })).toMatchObject({ state: 'purging' });
  });

  it('without a state, of an earlier release, is active', () => {
    expect(namespaceFromItem(item)).toStrictEqual({ ...acme, state: 'active' });
  });

  it('is looked up by its escaped name, as of the last write', () => {
    const { Key, ConsistentRead } = namespaceReadRequest('millrace', 'acme/eu');

    expect(item).toMatchObject(Key);
    expect(ConsistentRead).toBe(true);
  });

  it('of a schema two ahead is refused by its name, with what to do', () => {
    const error = refusal(() => namespaceFromItem({ ...item, v: { N: '3' } }));

    expect(error).toMatchObject({ code: 'SCHEMA_VERSION', message: expect.stringContaining('namespace "acme/eu"') });
    expect(error).toMatchObject({ message: expect.stringContaining('update this service') });
  });
});
