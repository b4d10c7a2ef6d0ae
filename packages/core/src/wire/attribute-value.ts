import { ATTRIBUTE } from '../schema/attributes.js';
import type { ItemKey } from '../schema/keys.js';

/** A value in DynamoDB's own JSON, as far as Millrace uses it. */
export type AttributeValue =
  | { S: string }
  | { N: string }
  | { BOOL: boolean }
  | { L: AttributeValue[] }
  | { M: { [key: string]: AttributeValue } };

/** An item, or a key, in DynamoDB's own JSON. */
export type WireItem = Record<string, AttributeValue>;

export const text = (value: string): AttributeValue => ({ S: value });
export const number = (value: number | bigint): AttributeValue => ({ N: String(value) });

/** The primary key of an item as DynamoDB wants it. */
export function wireKey(key: ItemKey): WireItem {
  return { [ATTRIBUTE.partitionKey]: text(key.partition), [ATTRIBUTE.sortKey]: text(key.sort) };
}

/** The number at an attribute; undefined where there is none. */
export function numberAt(item: WireItem, attribute: string): number | undefined {
  const value = item[attribute];
  return value !== undefined && 'N' in value ? Number(value.N) : undefined;
}

/** The whole number of any size at an attribute. */
export function bigintAt(item: WireItem, attribute: string): bigint | undefined {
  const value = item[attribute];
  return value !== undefined && 'N' in value ? BigInt(value.N) : undefined;
}

export function textAt(item: WireItem, attribute: string): string | undefined {
  const value = item[attribute];
  return value !== undefined && 'S' in value ? value.S : undefined;
}

export function flagAt(item: WireItem, attribute: string): boolean {
  const value = item[attribute];
  return value !== undefined && 'BOOL' in value && value.BOOL;
}

export function textsAt(item: WireItem, attribute: string): readonly string[] {
  const value = item[attribute];
  if (value === undefined || !('L' in value)) return [];
  return value.L.flatMap((entry) => ('S' in entry ? [entry.S] : []));
}
