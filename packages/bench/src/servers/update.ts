import { type Operand, Reader, readOperand, readPath, type Scope, type StoredItem, sumOf } from './expression.js';

/** Applies an update to an item: reads all of the old one first, as DynamoDB does. */
export type Update = (scope: Scope) => StoredItem;

type Change = (scope: Scope, item: StoredItem) => void;

/** Compiles an update: SET with one sum at most, ADD of numbers, REMOVE. */
export function compileUpdate(text: string): Update {
  const reader = new Reader(text);
  const changes: Change[] = [];
  while (!reader.isAtEnd) changes.push(...readClause(reader));
  return (scope) => {
    const item = { ...scope.item };
    for (const change of changes) change(scope, item);
    return item;
  };
}

function readClause(reader: Reader): Change[] {
  const readOne = reader.accept('SET') ? readAssignment : reader.accept('ADD') ? readAddition : readRemoval;
  if (readOne === readRemoval) reader.expect('REMOVE');
  const changes = [readOne(reader)];
  while (reader.accept(',')) changes.push(readOne(reader));
  return changes;
}

function readAssignment(reader: Reader): Change {
  const path = readPath(reader);
  reader.expect('=');
  const value = readSum(reader);
  return (scope, item) => {
    const assigned = value(scope);
    if (assigned === undefined) throw new SyntaxError(`there is no value for "${path(scope)}"`);
    item[path(scope)] = assigned;
  };
}

function readSum(reader: Reader): Operand {
  const left = readOperand(reader);
  const sign = reader.accept('+') ? 1 : reader.accept('-') ? -1 : undefined;
  if (sign === undefined) return left;
  const right = readOperand(reader);
  return (scope) => sumOf(left(scope), right(scope), sign);
}

function readAddition(reader: Reader): Change {
  const path = readPath(reader);
  const amount = readOperand(reader);
  return (scope, item) => {
    item[path(scope)] = sumOf(scope.item[path(scope)] ?? { N: '0' }, amount(scope), 1);
  };
}

function readRemoval(reader: Reader): Change {
  const path = readPath(reader);
  return (scope, item) => {
    delete item[path(scope)];
  };
}
