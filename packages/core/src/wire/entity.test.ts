import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyName } from '../../test/any-name.js';
import { refusal } from '../../test/refusal.js';
import { type EntityRecord, newEntity } from '../lineage.js';
import { childKey } from '../schema/keys.js';
import { type WireItem, wireKey } from './attribute-value.js';
import { childOfItem, childrenRequest, entityCreateRequest, entityDeleteRequest, entityFromItem, entityReadRequest } from './entity.js';

const NOW_MS = 1_800_000_000_000;
const project = newEntity('project-1', undefined, false, undefined, NOW_MS);
const apiKey = newEntity('key/1', project, true, undefined, NOW_MS + 1);

/** The item that a request stores for the entity itself. */
function storedItem(request: ReturnType<typeof entityCreateRequest>): WireItem {
  const [first] = request.TransactItems;
  if (first === undefined || !('Put' in first)) throw new Error('the entity is not put first');
  return first.Put.Item;
}

describe('an entity', () => {
  it.each([
    ['without a parent', project],
    ['below a parent', apiKey],
    ['that is deleted', { ...apiKey, deleted: true, childCount: 3 }],
    ['with a name of little but separators', newEntity('%2F/#😀', apiKey, true, project, NOW_MS)],
  ])('%s is read as it was stored', (_, entity: EntityRecord) => {
    const item = storedItem(entityCreateRequest('millrace', 'n1', entity, undefined, 'token'));

    expect(entityFromItem(item)).toStrictEqual(entity);
  });

  it('is read by its key, as fresh as asked for', () => {
    const [fresh, eventual] = [true, false].map((isFresh) => entityReadRequest('millrace', 'n1', 'key/1', isFresh));

    const Key = { PK: { S: 'n1/e/key%2F1' }, SK: { S: 'entity' } };
    expect(fresh).toStrictEqual({ TableName: 'millrace', Key, ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' });
    expect(eventual).toMatchObject({ ConsistentRead: false });
  });

  it('of a schema two ahead is refused by its name', () => {
    const item = storedItem(entityCreateRequest('millrace', 'n1', apiKey, undefined, 'token'));

    const error = refusal(() => entityFromItem({ ...item, v: { N: '3' } }));

    expect(error).toMatchObject({ code: 'SCHEMA_VERSION', message: expect.stringContaining('entity "key/1" has schema version 3') });
  });
});

describe('creating an entity', () => {
  it('stores it, counts it at its parent and links it, all or nothing', () => {
    const request = entityCreateRequest('millrace', 'n1', apiKey, undefined, 'token');

    expect(request).toMatchObject({
      ClientRequestToken: 'token',
      TransactItems: [
        { Put: { Item: { PK: { S: 'n1/e/key%2F1' } }, ConditionExpression: 'attribute_not_exists(#0)' } },
        {
          Update: {
            Key: { PK: { S: 'n1/e/project-1' } },
            UpdateExpression: 'SET #0 = #0 + :0',
            ExpressionAttributeValues: { ':0': { N: '1' } },
          },
        },
        { Put: { Item: { PK: { S: 'n1/e/project-1' }, SK: { S: 'child/key%2F1' } } } },
      ],
    });
  });

  it('demands a parent that exists, is not deleted, and has the ancestors that the child was given', () => {
    const [, count] = entityCreateRequest('millrace', 'n1', apiKey, undefined, 'token').TransactItems;

    const condition = {
      ConditionExpression: 'attribute_exists(#0) AND #1 = :1 AND #2 = :2',
      ExpressionAttributeNames: { '#0': 'children', '#1': 'deleted', '#2': 'ver' },
    };
    const values = { ':1': { BOOL: false }, ':2': { N: String(project.version) } };
    expect(count).toMatchObject({ Update: { ...condition, ExpressionAttributeValues: values } });
  });

  it('over a deleted one demands that it is as it was read', () => {
    const [put] = entityCreateRequest('millrace', 'n1', project, { ...project, deleted: true, version: 5 }, 'token').TransactItems;

    const condition = {
      ConditionExpression: '#0 = :0',
      ExpressionAttributeNames: { '#0': 'ver' },
      ExpressionAttributeValues: { ':0': { N: '5' } },
    };
    expect(put).toMatchObject({ Put: condition });
  });

  it('without a parent touches nothing else', () => {
    const request = entityCreateRequest('millrace', 'n1', project, undefined, 'token');

    expect(request.TransactItems).toHaveLength(1);
  });
});

describe('deleting an entity', () => {
  it('leaves a tombstone of a newer version that expires, and takes it off its parent', () => {
    const request = entityDeleteRequest('millrace', 'n1', apiKey, 99, 1_900_000_000, 'token');

    const [tombstone, count, link] = request.TransactItems;
    expect(tombstone).toMatchObject({ Put: { Item: { ver: { N: '99' }, deleted: { BOOL: true }, ttl: { N: '1900000000' } } } });
    expect(count).toMatchObject({ Update: { Key: { PK: { S: 'n1/e/project-1' } }, ExpressionAttributeValues: { ':0': { N: '-1' } } } });
    expect(link).toStrictEqual({ Delete: { TableName: 'millrace', Key: wireKey(childKey('n1', 'project-1', 'key/1')) } });
  });

  it('demands that it is as it was read, and has no children', () => {
    const [tombstone] = entityDeleteRequest('millrace', 'n1', project, 99, 1, 'token').TransactItems;

    const values = { ':0': { N: String(project.version) }, ':1': { N: '0' } };
    const names = { '#0': 'ver', '#1': 'children' };
    expect(tombstone).toMatchObject({
      Put: { ConditionExpression: '#0 = :0 AND #1 = :1', ExpressionAttributeNames: names, ExpressionAttributeValues: values },
    });
  });
});

describe('the children of an entity', () => {
  it('are a page of the links in its partition', () => {
    const request = childrenRequest('millrace', 'n1', 'project-1', 25, undefined);

    expect(request).toMatchObject({
      KeyConditionExpression: '#0 = :0 AND begins_with(#1, :1)',
      ExpressionAttributeNames: { '#0': 'PK', '#1': 'SK' },
      ExpressionAttributeValues: { ':0': { S: 'n1/e/project-1' }, ':1': { S: 'child/' } },
      Limit: 25,
      ConsistentRead: true,
    });
    expect(request).not.toHaveProperty('ExclusiveStartKey');
  });

  it('go on after the last one of the page before', () => {
    const request = childrenRequest('millrace', 'n1', 'project-1', 25, 'key/1');

    expect(request.ExclusiveStartKey).toStrictEqual({ PK: { S: 'n1/e/project-1' }, SK: { S: 'child/key%2F1' } });
  });

  it('are read off their links, whatever their names', () => {
    const readsBack = fc.property(anyName, (name) => childOfItem(wireKey(childKey('n1', 'project-1', name))) === name);

    fc.assert(readsBack, { numRuns: 2_000 });
  });
});
