import { ATTRIBUTE, type ItemKey, StoreFailure } from '@millrace/core';
import type { Item, ItemWrite } from '@millrace/limiter/admin';

const MAX_WRITES = 100;

/** The key of the item that a write is about. */
export function keyOfWrite(write: ItemWrite): ItemKey {
  return write.kind === 'put' ? keyOfItem(write.item) : write.key;
}

/** The key that stands in an item. */
export function keyOfItem(item: Item): ItemKey {
  return { partition: String(item[ATTRIBUTE.partitionKey]), sort: String(item[ATTRIBUTE.sortKey]) };
}

/** Refuses what DynamoDB would refuse, whatever the table holds. */
export function checkTransaction(writes: readonly ItemWrite[]): void {
  if (writes.length === 0 || writes.length > MAX_WRITES) throw refused(`${writes.length} writes, not 1 to ${MAX_WRITES}`);
  const keys = new Set<string>();
  for (const write of writes) {
    checkWrite(write);
    const key = JSON.stringify(keyOfWrite(write));
    if (keys.has(key)) throw refused(`two writes of ${key}`);
    keys.add(key);
  }
}

function checkWrite(write: ItemWrite): void {
  if (write.kind === 'put') {
    const { [ATTRIBUTE.partitionKey]: partition, [ATTRIBUTE.sortKey]: sort } = write.item;
    if (!isKey(partition) || !isKey(sort)) throw refused('an item without a key');
    checkValue('item', write.item);
    return;
  }
  if (!isKey(write.key.partition) || !isKey(write.key.sort)) throw refused('an empty key');
  if (write.kind === 'update') checkUpdate(write);
}

function checkUpdate({ set = {}, add = {}, count = {}, remove = [] }: ItemWrite & { readonly kind: 'update' }): void {
  const attributes = [...Object.keys(set), ...Object.keys(add), ...Object.keys(count), ...remove];
  if (attributes.length === 0) throw refused('an update that changes nothing');
  if (new Set(attributes).size < attributes.length) throw refused(`an attribute that is changed twice: ${attributes.join(', ')}`);
  const keyAttributes: readonly string[] = [ATTRIBUTE.partitionKey, ATTRIBUTE.sortKey];
  if (attributes.some((attribute) => keyAttributes.includes(attribute))) throw refused('an update of a key');
  checkValue('set', set);
  checkValue('add', add);
  checkValue('count', count);
}

function checkValue(path: string, value: unknown): void {
  if (value === undefined || (typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER))) {
    throw refused(`${path} is ${value}`);
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, part] of Object.entries(value)) checkValue(`${path}.${name}`, part);
}

function isKey(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function refused(what: string): StoreFailure {
  return new StoreFailure('refused', 'no', `the table refuses ${what}`);
}
