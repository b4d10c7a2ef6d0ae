/** An attribute value as DynamoDB's JSON has it; the stub stores them as they came. */
export type Value = Readonly<Record<string, unknown>>;
export type StoredItem = Record<string, Value>;

/** What a compiled expression looks at. */
export interface Scope {
  readonly item: StoredItem;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, Value>>;
}

export type Operand = (scope: Scope) => Value | undefined;
export type Predicate = (scope: Scope) => boolean;

const TOKEN = /\s*(<=|>=|<>|[=<>(),+-]|[#:]?[A-Za-z0-9_]+)/y;

/** Cuts an expression into its words and signs. */
function tokensOf(expression: string): string[] {
  const tokens: string[] = [];
  const text = expression.trimEnd();
  TOKEN.lastIndex = 0;
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    const match = TOKEN.exec(text);
    if (match === null) throw new SyntaxError(`the stub cannot read "${text.slice(at)}"`);
    tokens.push(match[1] as string);
  }
  return tokens;
}

/** Reads tokens one by one. */
export class Reader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(expression: string) {
    this.#tokens = tokensOf(expression);
  }

  /** The next token, if it is this word or sign; words in any case. */
  accept(wanted: string): boolean {
    if (this.#tokens[this.#at]?.toUpperCase() !== wanted.toUpperCase()) return false;
    this.#at += 1;
    return true;
  }

  expect(wanted: string): void {
    if (!this.accept(wanted)) throw new SyntaxError(`the stub expects "${wanted}" before "${this.#tokens.slice(this.#at).join(' ')}"`);
  }

  next(): string {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw new SyntaxError('the stub expects more');
    this.#at += 1;
    return token;
  }

  /** The next token, if it is a name or a placeholder. */
  word(): string {
    const token = this.next();
    if (!/^[#:\w]/.test(token)) throw new SyntaxError(`the stub expects a name before "${token}"`);
    return token;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }
}

/** A path of one attribute: a placeholder or a bare name. Nested paths are not in the stub's language. */
export function readPath(reader: Reader): (scope: Scope) => string {
  const token = reader.word();
  if (!token.startsWith('#')) return () => token;
  return ({ names }) => names[token] as string;
}

/** A path, a value, or `if_not_exists(path, operand)`. */
export function readOperand(reader: Reader): Operand {
  if (reader.accept('if_not_exists')) {
    reader.expect('(');
    const path = readPath(reader);
    reader.expect(',');
    const otherwise = readOperand(reader);
    reader.expect(')');
    return (scope) => scope.item[path(scope)] ?? otherwise(scope);
  }
  const token = reader.word();
  if (token.startsWith(':')) return ({ values }) => values[token];
  if (token.startsWith('#')) return ({ item, names }) => item[names[token] as string];
  return ({ item }) => item[token];
}

/** The sum or the difference of two numbers, exact where both are whole. */
export function sumOf(left: Value | undefined, right: Value | undefined, sign: 1 | -1): Value {
  const [a, b] = [left?.['N'], right?.['N']];
  if (typeof a !== 'string' || typeof b !== 'string') throw new SyntaxError('the stub adds numbers only');
  const sum = Number(a) + sign * Number(b);
  if (Number.isSafeInteger(sum) || a.includes('.') || b.includes('.')) return { N: String(sum) };
  return { N: String(BigInt(a) + BigInt(sign) * BigInt(b)) };
}

/** Below 0, 0, above 0; undefined where the two cannot be compared. */
export function compare(left: Value | undefined, right: Value | undefined): number | undefined {
  if (left === undefined || right === undefined) return undefined;
  if (typeof left['N'] === 'string' && typeof right['N'] === 'string') return compareNumbers(left['N'], right['N']);
  const [a, b] = [JSON.stringify(left), JSON.stringify(right)];
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareNumbers(a: string, b: string): number {
  const difference = Number(a) - Number(b);
  if (difference !== 0 || a === b || a.includes('.') || b.includes('.')) return difference;
  const [exactA, exactB] = [BigInt(a), BigInt(b)];
  return exactA < exactB ? -1 : exactA > exactB ? 1 : 0;
}
