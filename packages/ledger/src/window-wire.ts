import {
  ATTRIBUTE,
  bigintAt,
  checkSchemaVersion,
  Expression,
  flagAt,
  limitOfWindowAttribute,
  MillraceError,
  numberAt,
  parseUsageKey,
  SCHEMA_VERSION,
  textAt,
  usageKey,
  type WindowRef,
  type WireItem,
  windowAttribute,
  windowName,
  wireKey,
} from '@millrace/core';
import type { UsageWindowItem, WindowChange } from './change.js';
import { expiresSec, type Retention } from './retention.js';
import type { LimitStep } from './step.js';

/** DynamoDB's UpdateItem, as far as the ledger uses it. */
export interface WindowUpdateWire {
  TableName: string;
  Key: WireItem;
  UpdateExpression: string;
  ConditionExpression: string;
  ExpressionAttributeNames: Record<string, string>;
  ExpressionAttributeValues: WireItem;
  /** What was there before of what is written, at no unit more: it tells whether a record is missing in between. */
  ReturnValues: 'UPDATED_OLD';
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD';
  ReturnConsumedCapacity: 'TOTAL';
}

/**
 * The write of a change whose records are newer than all that the window knows, or the first: by far the most. It needs to
 * read nothing. Whatever else the change is, the write is refused, with the item as it is.
 */
export function windowWriteRequest(table: string, change: WindowChange, retention: Retention): WindowUpdateWire {
  const expression = new Expression();
  const [seqFrom, seqTo] = [expression.name(ATTRIBUTE.seqFrom), expression.name(ATTRIBUTE.seqTo)];
  const [fromValue, toValue] = [expression.number(change.seq.from), expression.number(change.seq.to)];
  const conditions = [`(attribute_not_exists(${seqTo}) OR (${seqFrom} <= ${fromValue} AND ${seqTo} < ${toValue}))`];
  const assignments = [`${seqFrom} = if_not_exists(${seqFrom}, ${fromValue})`, `${seqTo} = ${toValue}`];
  for (const [limit, step] of change.limits) {
    const names = limitNames(expression, limit);
    const { used, returned } = step;
    const values = {
      usedFrom: expression.number(used.from),
      usedTo: expression.number(used.to),
      returnedFrom: expression.number(returned.from),
      returnedTo: expression.number(returned.to),
      birth: expression.value({ BOOL: step.isBirth }),
    };
    conditions.push(
      `(attribute_not_exists(${names.usedTo}) OR (${names.usedFrom} <= ${values.usedFrom} AND ${names.usedTo} <= ${values.usedTo}` +
        ` AND ${names.returnedFrom} <= ${values.returnedFrom} AND ${names.returnedTo} <= ${values.returnedTo}))`,
    );
    assignments.push(
      `${names.usedFrom} = if_not_exists(${names.usedFrom}, ${values.usedFrom})`,
      `${names.returnedFrom} = if_not_exists(${names.returnedFrom}, ${values.returnedFrom})`,
      `${names.birth} = if_not_exists(${names.birth}, ${values.birth})`,
      `${names.usedTo} = ${values.usedTo}`,
      `${names.returnedTo} = ${values.returnedTo}`,
    );
  }
  return request(table, change.ref, expression, conditions, assignments, retention);
}

/** The write of all that a window is to hold, if it still holds what was read; refused with the item as it is. */
export function windowRewriteRequest(
  table: string,
  known: UsageWindowItem,
  merged: UsageWindowItem,
  retention: Retention,
): WindowUpdateWire {
  const expression = new Expression();
  const [seqFrom, seqTo] = [expression.name(ATTRIBUTE.seqFrom), expression.name(ATTRIBUTE.seqTo)];
  const is = (name: string, value: number | bigint): string => `${name} = ${expression.number(value)}`;
  const conditions = [is(seqFrom, known.seq.from), is(seqTo, known.seq.to)];
  const assignments = [is(seqFrom, merged.seq.from), is(seqTo, merged.seq.to)];
  for (const [limit, step] of merged.limits) {
    const names = limitNames(expression, limit);
    const before = known.limits.get(limit);
    conditions.push(...(before === undefined ? [`attribute_not_exists(${names.usedTo})`] : counters(names, before, is)));
    assignments.push(...counters(names, step, is), `${names.birth} = ${expression.value({ BOOL: step.isBirth })}`);
  }
  return request(table, merged.ref, expression, conditions, assignments, retention);
}

type LimitNames = ReturnType<typeof limitNames>;

function counters(names: LimitNames, step: LimitStep, is: (name: string, value: bigint) => string): readonly string[] {
  return [
    is(names.usedFrom, step.used.from),
    is(names.usedTo, step.used.to),
    is(names.returnedFrom, step.returned.from),
    is(names.returnedTo, step.returned.to),
  ];
}

function limitNames(expression: Expression, limit: string) {
  const name = (part: Parameters<typeof windowAttribute>[0]): string => expression.name(windowAttribute(part, limit));
  return {
    usedFrom: name('usedFrom'),
    usedTo: name('usedTo'),
    returnedFrom: name('returnedFrom'),
    returnedTo: name('returnedTo'),
    birth: name('birth'),
  };
}

function request(
  table: string,
  ref: WindowRef,
  expression: Expression,
  conditions: readonly string[],
  assignments: readonly string[],
  retention: Retention,
): WindowUpdateWire {
  const [version, expires] = [expression.name(ATTRIBUTE.schemaVersion), expiresSec(ref, retention)];
  // An item that this release could not read it must not write either.
  const [oldest, newest] = [expression.number(SCHEMA_VERSION - 1), expression.number(SCHEMA_VERSION + 1)];
  const isReadable = `(attribute_not_exists(${version}) OR ${version} BETWEEN ${oldest} AND ${newest})`;
  // Always the same for a window: the index, whose key it is, is written to when the item is made and never again.
  const name = windowName(ref);
  const header = [`${version} = if_not_exists(${version}, ${expression.number(SCHEMA_VERSION)})`];
  if (name !== undefined) header.push(`${expression.name(ATTRIBUTE.windowName)} = ${expression.value({ S: name })}`);
  if (expires !== undefined) header.push(`${expression.name(ATTRIBUTE.ttlSec)} = ${expression.number(expires)}`);
  return {
    TableName: table,
    Key: wireKey(usageKey(ref)),
    UpdateExpression: `SET ${[...assignments, ...header].join(', ')}`,
    ConditionExpression: [...conditions, isReadable].join(' AND '),
    ExpressionAttributeNames: expression.names,
    ExpressionAttributeValues: expression.values,
    ReturnValues: 'UPDATED_OLD',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    ReturnConsumedCapacity: 'TOTAL',
  };
}

/**
 * The window that an item holds.
 *
 * @throws MillraceError `UNREADABLE_RECORD` if it holds none, `SCHEMA_VERSION` if it is of a release too far from this one.
 */
export function windowFromItem(item: WireItem): UsageWindowItem {
  const [partition, sort] = [textAt(item, ATTRIBUTE.partitionKey) ?? '', textAt(item, ATTRIBUTE.sortKey) ?? ''];
  const ref = parseUsageKey(partition, sort);
  if (ref === undefined)
    throw new MillraceError('UNREADABLE_RECORD', `"${partition}", "${sort}" is no usage window`, { data: { partition, sort } });
  checkSchemaVersion(`the usage window "${sort}"`, numberAt(item, ATTRIBUTE.schemaVersion) ?? 0);
  const limits = new Map<string, LimitStep>();
  for (const attribute of Object.keys(item)) {
    const limit = limitOfWindowAttribute(attribute);
    if (limit !== undefined) limits.set(limit, limitFromItem(item, sort, limit));
  }
  const [from, to] = [numberAt(item, ATTRIBUTE.seqFrom) ?? 0, numberAt(item, ATTRIBUTE.seqTo) ?? 0];
  return { ref, seq: { from, to }, limits };
}

function limitFromItem(item: WireItem, sort: string, limit: string): LimitStep {
  const counter = (part: Parameters<typeof windowAttribute>[0]): bigint => {
    const value = bigintAt(item, windowAttribute(part, limit));
    if (value === undefined)
      throw new MillraceError('UNREADABLE_RECORD', `the usage window "${sort}" lacks a counter of "${limit}"`, { data: { sort } });
    return value;
  };
  return {
    used: { from: counter('usedFrom'), to: counter('usedTo') },
    returned: { from: counter('returnedFrom'), to: counter('returnedTo') },
    isBirth: flagAt(item, windowAttribute('birth', limit)),
  };
}
