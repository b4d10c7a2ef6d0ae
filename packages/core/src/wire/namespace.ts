import { ATTRIBUTE } from '../schema/attributes.js';
import { namespaceKey } from '../schema/keys.js';
import { checkSchemaVersion, SCHEMA_VERSION } from '../schema/version.js';
import { number, numberAt, text, textAt, type WireItem, wireKey } from './attribute-value.js';
import type { GetItemWire } from './bucket.js';

/** A namespace's entry in the registry. */
export interface NamespaceRecord {
  readonly name: string;
  /** The opaque id that every key of the namespace begins with. */
  readonly id: string;
}

/** DynamoDB's PutItem, as far as Millrace uses it. */
export interface PutItemWire {
  TableName: string;
  Item: WireItem;
  ConditionExpression: string;
  ExpressionAttributeNames: Record<string, string>;
  ReturnConsumedCapacity: 'TOTAL';
}

export function namespaceReadRequest(table: string, name: string): GetItemWire {
  return { TableName: table, Key: wireKey(namespaceKey(name)), ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' };
}

/** Registers a namespace, if there is none of that name: its id must never change, or all that it holds would be lost. */
export function namespaceRegisterRequest(table: string, namespace: NamespaceRecord, nowMs: number): PutItemWire {
  return {
    TableName: table,
    Item: {
      ...wireKey(namespaceKey(namespace.name)),
      [ATTRIBUTE.schemaVersion]: number(SCHEMA_VERSION),
      [ATTRIBUTE.name]: text(namespace.name),
      [ATTRIBUTE.namespaceId]: text(namespace.id),
      [ATTRIBUTE.createdAtMs]: number(nowMs),
    },
    ConditionExpression: 'attribute_not_exists(#0)',
    ExpressionAttributeNames: { '#0': ATTRIBUTE.partitionKey },
    ReturnConsumedCapacity: 'TOTAL',
  };
}

export function namespaceFromItem(item: WireItem): NamespaceRecord {
  const name = textAt(item, ATTRIBUTE.name) ?? '';
  checkSchemaVersion(`namespace "${name}"`, numberAt(item, ATTRIBUTE.schemaVersion) ?? 0);
  return { name, id: textAt(item, ATTRIBUTE.namespaceId) ?? '' };
}
