import { compare, type Operand, type Predicate, Reader, readOperand, readPath } from './expression.js';

const COMPARISONS: Readonly<Record<string, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/** Compiles a condition: comparisons, BETWEEN, the two tests of existence, NOT, AND, OR and brackets. */
export function compileCondition(text: string): Predicate {
  const reader = new Reader(text);
  const predicate = readOr(reader);
  if (!reader.isAtEnd) throw new SyntaxError(`the stub cannot read the end of "${text}"`);
  return predicate;
}

function readOr(reader: Reader): Predicate {
  const parts = [readAnd(reader)];
  while (reader.accept('OR')) parts.push(readAnd(reader));
  return parts.length === 1 ? (parts[0] as Predicate) : (scope) => parts.some((part) => part(scope));
}

function readAnd(reader: Reader): Predicate {
  const parts = [readTest(reader)];
  while (reader.accept('AND')) parts.push(readTest(reader));
  return parts.length === 1 ? (parts[0] as Predicate) : (scope) => parts.every((part) => part(scope));
}

function readTest(reader: Reader): Predicate {
  if (reader.accept('NOT')) {
    const inner = readTest(reader);
    return (scope) => !inner(scope);
  }
  if (reader.accept('(')) {
    const inner = readOr(reader);
    reader.expect(')');
    return inner;
  }
  if (reader.accept('attribute_not_exists')) return readExistence(reader, false);
  if (reader.accept('attribute_exists')) return readExistence(reader, true);
  return readComparison(reader, readOperand(reader));
}

function readExistence(reader: Reader, wanted: boolean): Predicate {
  reader.expect('(');
  const path = readPath(reader);
  reader.expect(')');
  return (scope) => (scope.item[path(scope)] !== undefined) === wanted;
}

function readComparison(reader: Reader, left: Operand): Predicate {
  if (reader.accept('BETWEEN')) {
    const low = readOperand(reader);
    reader.expect('AND');
    const high = readOperand(reader);
    return (scope) => {
      const value = left(scope);
      return (compare(value, low(scope)) ?? -1) >= 0 && (compare(value, high(scope)) ?? 1) <= 0;
    };
  }
  const sign = reader.next();
  const holds = COMPARISONS[sign];
  if (holds === undefined) throw new SyntaxError(`the stub does not know "${sign}"`);
  const right = readOperand(reader);
  return (scope) => {
    const order = compare(left(scope), right(scope));
    return order !== undefined && holds(order);
  };
}
