import { ATTRIBUTE, StoreFailure } from '@millrace/core';
import type { Item } from '../admin/item-table.js';
import type { Changes } from './item-expression.js';

const KEYS: readonly string[] = [ATTRIBUTE.partitionKey, ATTRIBUTE.sortKey];

/**
 * Refuses an item that cannot be stored as it is. The SDK would leave out an undefined attribute, and fail with an error
 * of its own on other values that DynamoDB does not have.
 */
export function checkItem(item: Item): void {
  for (const [attribute, value] of Object.entries(item)) checkValue(attribute, value);
}

/** Refuses an update that DynamoDB would refuse; not every engine for development does. */
export function checkChanges({ set = {}, add = {}, count = {}, remove = [] }: Changes): void {
  checkItem({ ...set, ...add, ...count });
  const attributes = [...Object.keys(set), ...Object.keys(add), ...Object.keys(count), ...remove];
  if (attributes.length === 0) throw refused('an update that changes nothing');
  const twice = attributes.find((attribute, index) => attributes.indexOf(attribute) < index);
  if (twice !== undefined) throw refused(`an update that names "${twice}" twice`);
  const key = attributes.find((attribute) => KEYS.includes(attribute));
  if (key !== undefined) throw refused(`an update of "${key}", which is part of the key`);
}

function checkValue(path: string, value: unknown): void {
  const isUnsafe = typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER);
  if (value === undefined || isUnsafe) throw refused(`an item whose "${path}" is ${value}`);
  if (typeof value !== 'object' || value === null) return;
  for (const [name, part] of Object.entries(value)) checkValue(`${path}.${name}`, part);
}

function refused(what: string): StoreFailure {
  return new StoreFailure('refused', 'no', `cannot write ${what}`);
}
