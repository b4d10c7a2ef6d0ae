import type { BucketRef, SplitHint } from '../bucket.js';
import { FIRST_LAYOUT } from '../layout.js';
import { ATTRIBUTE } from '../schema/attributes.js';
import { bucketKey } from '../schema/keys.js';
import { SCHEMA_VERSION } from '../schema/version.js';
import { numberAt, type WireItem, wireKey } from './attribute-value.js';
import { Expression } from './expression.js';

/** DynamoDB's UpdateItem, as a hint needs it. */
export interface SplitHintWire {
  TableName: string;
  Key: WireItem;
  UpdateExpression: string;
  ConditionExpression: string;
  ExpressionAttributeNames: Record<string, string>;
  ExpressionAttributeValues: WireItem;
}

/**
 * Leaves a hint on an item of a bucket, if it is there and still in the layout that was found too hot. It touches nothing
 * else: not the counters, not the write number, not the time to live, so that it says nothing of usage, and admits and
 * refuses nobody.
 */
export function splitHintRequest(table: string, ref: BucketRef, { layout, atSec }: SplitHint): SplitHintWire {
  const expression = new Expression();
  const [has, seq, version] = [ATTRIBUTE.layout, ATTRIBUTE.seq, ATTRIBUTE.schemaVersion].map((name) => expression.name(name));
  const isThere = layout === FIRST_LAYOUT ? `attribute_not_exists(${has})` : `${has} = ${expression.number(layout)}`;
  const [oldest, newest] = [expression.number(SCHEMA_VERSION - 1), expression.number(SCHEMA_VERSION + 1)];
  const set = [
    `${expression.name(ATTRIBUTE.hintLayout)} = ${expression.number(layout)}`,
    `${expression.name(ATTRIBUTE.hintAtSec)} = ${expression.number(atSec)}`,
  ];
  return {
    TableName: table,
    Key: wireKey(bucketKey(ref)),
    UpdateExpression: `SET ${set.join(', ')}`,
    ConditionExpression: `attribute_exists(${seq}) AND ${isThere} AND ${version} BETWEEN ${oldest} AND ${newest}`,
    ExpressionAttributeNames: expression.names,
    ExpressionAttributeValues: expression.values,
  };
}

/** The hint on an item; undefined where there is none. */
export function hintOf(item: WireItem): SplitHint | undefined {
  const layout = numberAt(item, ATTRIBUTE.hintLayout);
  const atSec = numberAt(item, ATTRIBUTE.hintAtSec);
  return layout === undefined || atSec === undefined ? undefined : { layout, atSec };
}
