import { ATTRIBUTE, StoreFailure } from '@millrace/core';
import type { Condition, Item, ItemWrite } from '@millrace/limiter/admin';

/** Whether a condition holds of an item. A comparison with an attribute that is not there never does. */
export function holds(when: Condition, item: Item | undefined): boolean {
  return when.every((clause) => {
    const value = item?.[clause.attribute];
    if ('is' in clause) return (value === undefined) === (clause.is === 'absent');
    if ('equals' in clause) return isNumeric(value) && isNumeric(clause.equals) ? isEqual(value, clause.equals) : value === clause.equals;
    return isNumeric(value) && value <= clause.atMost;
  });
}

/** What a write makes of an item; undefined where it leaves none. */
export function written(write: ItemWrite, old: Item | undefined): Item | undefined {
  switch (write.kind) {
    case 'put':
      return write.item;
    case 'delete':
      return undefined;
    case 'check':
      return old;
    case 'update': {
      const { key, set = {}, add = {}, count = {}, remove = [] } = write;
      const item: Record<string, unknown> = { ...old, [ATTRIBUTE.partitionKey]: key.partition, [ATTRIBUTE.sortKey]: key.sort, ...set };
      for (const [attribute, amount] of Object.entries(add)) item[attribute] = sum(attribute, old?.[attribute], amount);
      for (const [attribute, { begin, add: amount }] of Object.entries(count))
        item[attribute] = counted(attribute, old?.[attribute] ?? begin, amount);
      for (const attribute of remove) delete item[attribute];
      return item;
    }
  }
}

function sum(attribute: string, old: unknown, amount: number): number {
  if (old !== undefined && typeof old !== 'number') {
    throw new StoreFailure('refused', 'no', `nothing can be added to "${attribute}", which is no number`);
  }
  return (old ?? 0) + amount;
}

function counted(attribute: string, from: unknown, amount: number): number | bigint {
  if (!isNumeric(from)) throw new StoreFailure('refused', 'no', `nothing can be counted in "${attribute}", which is no number`);
  const to = BigInt(from) + BigInt(amount);
  return to <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(to) : to;
}

/** DynamoDB orders sort keys by their bytes in UTF-8, which is not how JavaScript orders text. */
export function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** A number may be told as either kind. */
function isEqual(a: number | bigint, b: number | bigint): boolean {
  return a <= b && a >= b;
}
