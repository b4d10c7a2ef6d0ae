import { describe, expect, it } from 'vitest';
import { refusal } from '../../test/refusal.js';
import { namespaceFromItem, namespaceReadRequest, namespaceRegisterRequest } from './namespace.js';

const acme = { name: 'acme/eu', id: 'n7f3' };

describe('a namespace', () => {
  it('is registered once: a second one of its name is refused', () => {
    const request = namespaceRegisterRequest('millrace', acme, 1_800_000_000_000);

    expect(request).toMatchObject({ ConditionExpression: 'attribute_not_exists(#0)', ExpressionAttributeNames: { '#0': 'PK' } });
    expect(request.Item).toMatchObject({ PK: { S: '_/namespaces' }, SK: { S: 'acme%2Feu' }, at: { N: '1800000000000' } });
  });

  it('is read as it was registered', () => {
    const { Item } = namespaceRegisterRequest('millrace', acme, 1_800_000_000_000);

    expect(namespaceFromItem(Item)).toStrictEqual(acme);
  });

  it('is looked up where it was registered', () => {
    const { Item } = namespaceRegisterRequest('millrace', acme, 1_800_000_000_000);

    const { Key, ConsistentRead } = namespaceReadRequest('millrace', 'acme/eu');

    expect(Item).toMatchObject(Key);
    expect(ConsistentRead).toBe(true);
  });

  it('of a schema two ahead is refused by its name', () => {
    const { Item } = namespaceRegisterRequest('millrace', acme, 1);

    const error = refusal(() => namespaceFromItem({ ...Item, v: { N: '3' } }));

    expect(error).toMatchObject({ code: 'SCHEMA_VERSION', message: expect.stringContaining('namespace "acme/eu"') });
  });
});
