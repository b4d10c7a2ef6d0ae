import { ValidationError } from './errors.js';

const MAX_NAME_BYTES = 256;
const LIMIT_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;

// C0, DEL and C1 controls cannot be printed; a lone surrogate has no UTF-8 form, so two of them would make one key.
// biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the purpose.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** What a name stands for; it is said in the message when the name is refused. */
export type NameKind = 'entity' | 'resource' | 'namespace' | 'parent' | 'actor' | 'manifest' | 'owner' | 'idempotencyKey';

/** Checks a name that becomes part of a key: printable, not empty, at most 256 bytes of UTF-8. */
export function checkName(kind: NameKind, value: unknown): string {
  if (typeof value !== 'string' || value.length === 0) throw new ValidationError(kind, 'a string of at least one character', value);
  // No character takes more than three bytes for each of its units, so most names need not be counted.
  if (3 * value.length > MAX_NAME_BYTES && utf8Length(value) > MAX_NAME_BYTES)
    throw new ValidationError(kind, `at most ${MAX_NAME_BYTES} bytes of UTF-8`, value);
  if (UNPRINTABLE.test(value)) throw new ValidationError(kind, 'printable characters only', value);
  return value;
}

/** Checks the name of a limit. It becomes an attribute name and a header token, so it is plainer than other names. */
export function checkLimitName(value: unknown): string {
  if (typeof value !== 'string' || !LIMIT_NAME.test(value)) {
    throw new ValidationError('limit name', 'a letter followed by at most 31 letters, digits, "_" or "-"', value);
  }
  return value;
}

/** Checks a whole number between two bounds, both included. */
export function checkInteger(subject: string, value: unknown, min: number, max: number): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min || value > max) {
    throw new ValidationError(subject, `a whole number from ${min} to ${max}`, value);
  }
  return value;
}

/** Refuses option keys that nobody reads: a misspelt option would otherwise be ignored in silence. */
export function checkKeys(subject: string, value: unknown, known: readonly string[]): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new ValidationError(subject, 'an object', value);
  const keys = Object.keys(value);
  // By index: this is asked of each acquire, and an interpreter without a compiler pays for an iterator.
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] as string;
    if (!known.includes(key)) throw new ValidationError(`${subject} key`, `one of ${known.join(', ')}`, key);
  }
}

/** The length of a string in UTF-8. Runtimes without an encoder are among ours, so it is counted. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return bytes;
}
