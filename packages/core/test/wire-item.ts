import type { AttributeValue, UpdateItemWire, WireItem } from '../src/index.js';

/** What an item holds after an update, by the few clauses of DynamoDB's that Millrace uses. Conditions are not looked at. */
export function updated(item: WireItem | undefined, update: UpdateItemWire): WireItem {
  const before: WireItem = item ?? update.Key;
  const after: WireItem = { ...before };
  const [assignments = '', removals = ''] = update.UpdateExpression.slice('SET '.length).split(' REMOVE ');
  for (const [, target = '', expression = ''] of assignments.matchAll(ASSIGNMENT)) {
    after[nameOf(update, target)] = evaluated(update, before, expression);
  }
  for (const [target] of removals.matchAll(/#\d+/g)) delete after[nameOf(update, target)];
  return after;
}

const ASSIGNMENT = /(#\d+) = (.+?)(?=, #\d+ = |$)/g;
const SUM = /^(.+) ([+-]) (:\d+)$/;
const DEFAULTED = /^if_not_exists\((#\d+), (:\d+)\)$/;

function evaluated(update: UpdateItemWire, item: WireItem, expression: string): AttributeValue {
  const [, left, sign, right] = SUM.exec(expression) ?? [];
  if (left !== undefined && right !== undefined) {
    const [a, b] = [numberOf(evaluated(update, item, left)), numberOf(evaluated(update, item, right))];
    return { N: `${sign === '-' ? a - b : a + b}` };
  }
  const [, name, fallback] = DEFAULTED.exec(expression) ?? [];
  if (name !== undefined && fallback !== undefined) return item[nameOf(update, name)] ?? evaluated(update, item, fallback);
  const value = expression.startsWith(':') ? update.ExpressionAttributeValues[expression] : item[nameOf(update, expression)];
  if (value === undefined) throw new Error(`${expression} has no value: DynamoDB refuses the update`);
  return value;
}

function nameOf(update: UpdateItemWire, placeholder: string): string {
  const name = update.ExpressionAttributeNames[placeholder];
  if (name === undefined) throw new Error(`${placeholder} has no name: DynamoDB refuses the update`);
  return name;
}

function numberOf(value: AttributeValue): bigint {
  if (!('N' in value)) throw new Error('not a number: DynamoDB refuses the update');
  return BigInt(value.N);
}

/**
 * The size of an item by DynamoDB's rules: names and strings in UTF-8; a number a byte for every two digits and one more
 * (and one for a minus); a list or a map three, and one for each element.
 */
export function itemBytes(item: WireItem): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + utf8Bytes(name) + valueBytes(value), 0);
}

function valueBytes(value: AttributeValue): number {
  if ('S' in value) return utf8Bytes(value.S);
  if ('BOOL' in value) return 1;
  if ('L' in value) return value.L.reduce((sum, element) => sum + 1 + valueBytes(element), 3);
  if ('M' in value) return Object.values(value.M).length + 3 + itemBytes(value.M);
  const digits = value.N.replace('-', '');
  return Math.ceil(digits.length / 2) + 1 + (value.N.length - digits.length);
}

function utf8Bytes(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
