import type { EntityRecord } from '../lineage.js';
import { ATTRIBUTE } from '../schema/attributes.js';
import { CHILD_PREFIX, childKey, entityKey, unescapeName } from '../schema/keys.js';
import { checkSchemaVersion, SCHEMA_VERSION } from '../schema/version.js';
import { flag, flagAt, list, number, numberAt, text, textAt, textsAt, type WireItem, wireKey } from './attribute-value.js';
import type { GetItemWire } from './bucket.js';
import { Expression } from './expression.js';

/** DynamoDB's TransactWriteItems, as far as Millrace uses it. */
export interface TransactWriteWire {
  TransactItems: TransactItemWire[];
  /** DynamoDB answers the same token within ten minutes without writing again, so a network that sends a request twice does no harm. */
  ClientRequestToken: string;
  ReturnConsumedCapacity: 'TOTAL';
}

interface Conditional {
  TableName: string;
  ConditionExpression: string;
  ExpressionAttributeNames: Record<string, string>;
  ExpressionAttributeValues: WireItem;
}

type TransactItemWire =
  | { Put: { Item: WireItem } & (Conditional | { TableName: string }) }
  | { Update: { Key: WireItem; UpdateExpression: string } & Conditional }
  | { Delete: { Key: WireItem; TableName: string } };

/** DynamoDB's Query, as far as Millrace uses it. */
export interface QueryWire {
  TableName: string;
  KeyConditionExpression: string;
  ExpressionAttributeNames: Record<string, string>;
  ExpressionAttributeValues: WireItem;
  ExclusiveStartKey?: WireItem;
  Limit: number;
  ConsistentRead: boolean;
  ReturnConsumedCapacity: 'TOTAL';
}

export function entityReadRequest(table: string, namespaceId: string, id: string, fresh: boolean): GetItemWire {
  return { TableName: table, Key: wireKey(entityKey(namespaceId, id)), ConsistentRead: fresh, ReturnConsumedCapacity: 'TOTAL' };
}

/**
 * Stores an entity, the link from its parent, and the parent's count of children: all or nothing, and only if entity and
 * parent are as they were read. The count is what makes it impossible to delete a parent while a child is being created.
 */
export function entityCreateRequest(
  table: string,
  namespaceId: string,
  entity: EntityRecord,
  previous: EntityRecord | undefined,
  token: string,
): TransactWriteWire {
  const items: TransactItemWire[] = [{ Put: { Item: entityItem(namespaceId, entity), ...unchanged(table, previous) } }];
  if (entity.parent !== undefined) {
    items.push(
      { Update: countChild(table, namespaceId, entity.parent, 1, entity.parentVersion) },
      {
        Put: {
          TableName: table,
          Item: { ...wireKey(childKey(namespaceId, entity.parent, entity.id)), [ATTRIBUTE.schemaVersion]: number(SCHEMA_VERSION) },
        },
      },
    );
  }
  return { TransactItems: items, ClientRequestToken: token, ReturnConsumedCapacity: 'TOTAL' };
}

/** Marks an entity as deleted, takes it off its parent, and does so only if it is as it was read and has no children. */
export function entityDeleteRequest(
  table: string,
  namespaceId: string,
  current: EntityRecord,
  version: number,
  ttlSec: number,
  token: string,
): TransactWriteWire {
  const tombstone: EntityRecord = { ...current, version, deleted: true };
  const item = { ...entityItem(namespaceId, tombstone), [ATTRIBUTE.ttlSec]: number(ttlSec) };
  const items: TransactItemWire[] = [{ Put: { Item: item, ...unchanged(table, current, 'without children') } }];
  if (current.parent !== undefined) {
    items.push(
      { Update: countChild(table, namespaceId, current.parent, -1) },
      { Delete: { TableName: table, Key: wireKey(childKey(namespaceId, current.parent, current.id)) } },
    );
  }
  return { TransactItems: items, ClientRequestToken: token, ReturnConsumedCapacity: 'TOTAL' };
}

/** The condition that an entity is as it was read: the same version, or still absent. */
function unchanged(
  table: string,
  previous: EntityRecord | undefined,
  children?: 'without children',
): Conditional | ({ TableName: string } & Omit<Conditional, 'ExpressionAttributeValues'>) {
  const expression = new Expression();
  if (previous === undefined) {
    const condition = `attribute_not_exists(${expression.name(ATTRIBUTE.partitionKey)})`;
    return { TableName: table, ConditionExpression: condition, ExpressionAttributeNames: expression.names };
  }
  const conditions = [`${expression.name(ATTRIBUTE.version)} = ${expression.number(previous.version)}`];
  if (children !== undefined) conditions.push(`${expression.name(ATTRIBUTE.childCount)} = ${expression.number(0)}`);
  return {
    TableName: table,
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: expression.names,
    ExpressionAttributeValues: expression.values,
  };
}

function countChild(table: string, namespaceId: string, parent: string, change: 1 | -1, version?: number) {
  const expression = new Expression();
  const [count, deleted] = [expression.name(ATTRIBUTE.childCount), expression.name(ATTRIBUTE.deleted)];
  const update = `SET ${count} = ${count} + ${expression.number(change)}`;
  const conditions = [`attribute_exists(${count})`, `${deleted} = ${expression.value(flag(false))}`];
  // A parent that has moved since it was read has other ancestors than the child was given.
  if (version !== undefined) conditions.push(`${expression.name(ATTRIBUTE.version)} = ${expression.number(version)}`);
  return {
    TableName: table,
    Key: wireKey(entityKey(namespaceId, parent)),
    UpdateExpression: update,
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: expression.names,
    ExpressionAttributeValues: expression.values,
  };
}

/** A page of the links from an entity to its children, in the order of their escaped names. */
export function childrenRequest(
  table: string,
  namespaceId: string,
  parent: string,
  pageSize: number,
  after: string | undefined,
): QueryWire {
  const expression = new Expression();
  const [partition, sort] = [expression.name(ATTRIBUTE.partitionKey), expression.name(ATTRIBUTE.sortKey)];
  const owner = expression.value(text(entityKey(namespaceId, parent).partition));
  return {
    TableName: table,
    KeyConditionExpression: `${partition} = ${owner} AND begins_with(${sort}, ${expression.value(text(CHILD_PREFIX))})`,
    ExpressionAttributeNames: expression.names,
    ExpressionAttributeValues: expression.values,
    ...(after === undefined ? {} : { ExclusiveStartKey: wireKey(childKey(namespaceId, parent, after)) }),
    Limit: pageSize,
    ConsistentRead: true,
    ReturnConsumedCapacity: 'TOTAL',
  };
}

/** The child that a link leads to. */
export function childOfItem(item: WireItem): string {
  return unescapeName((textAt(item, ATTRIBUTE.sortKey) ?? '').slice(CHILD_PREFIX.length));
}

function entityItem(namespaceId: string, entity: EntityRecord): WireItem {
  return {
    ...wireKey(entityKey(namespaceId, entity.id)),
    [ATTRIBUTE.schemaVersion]: number(SCHEMA_VERSION),
    [ATTRIBUTE.name]: text(entity.id),
    ...(entity.parent === undefined ? {} : { [ATTRIBUTE.parent]: text(entity.parent) }),
    ...(entity.parentVersion === undefined ? {} : { [ATTRIBUTE.parentVersion]: number(entity.parentVersion) }),
    [ATTRIBUTE.cascade]: flag(entity.cascade),
    [ATTRIBUTE.ancestors]: list(entity.ancestors),
    [ATTRIBUTE.chargedCount]: number(entity.chargedCount),
    [ATTRIBUTE.childCount]: number(entity.childCount),
    [ATTRIBUTE.version]: number(entity.version),
    [ATTRIBUTE.createdAtMs]: number(entity.createdAtMs),
    [ATTRIBUTE.deleted]: flag(entity.deleted),
  };
}

/** The entity that an item holds. */
export function entityFromItem(item: WireItem): EntityRecord {
  const id = textAt(item, ATTRIBUTE.name) ?? '';
  checkSchemaVersion(`entity "${id}"`, numberAt(item, ATTRIBUTE.schemaVersion) ?? 0);
  const parent = textAt(item, ATTRIBUTE.parent);
  const parentVersion = numberAt(item, ATTRIBUTE.parentVersion);
  return {
    id,
    ...(parent === undefined ? {} : { parent }),
    ...(parentVersion === undefined ? {} : { parentVersion }),
    cascade: flagAt(item, ATTRIBUTE.cascade),
    ancestors: textsAt(item, ATTRIBUTE.ancestors),
    chargedCount: numberAt(item, ATTRIBUTE.chargedCount) ?? 0,
    version: numberAt(item, ATTRIBUTE.version) ?? 0,
    createdAtMs: numberAt(item, ATTRIBUTE.createdAtMs) ?? 0,
    childCount: numberAt(item, ATTRIBUTE.childCount) ?? 0,
    deleted: flagAt(item, ATTRIBUTE.deleted),
  };
}
