import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refusal } from '../test/refusal.js';
import { ValidationError } from './errors.js';
import { checkInteger, checkKeys, checkName, utf8Length } from './input.js';

describe('a name', () => {
  it.each([
    'key-1',
    'a',
    'openai/gpt-4',
    'a#b',
    '50%',
    '%2F',
    '..',
    ' ',
    'with spaces',
    'Ünïcode',
    '日本語',
    '😀',
    '👩‍👩‍👧',
    'e\u0301',
    '\u00e9',
    'a'.repeat(256),
    '😀'.repeat(64),
    '_',
  ])('%j is accepted as it is', (name) => {
    expect(checkName('entity', name)).toBe(name);
  });

  it.each([
    ['is empty', '', 'entity must be a string of at least one character, got ""'],
    ['is no string', 7, 'entity must be a string of at least one character, got 7'],
    ['is absent', undefined, 'entity must be a string of at least one character, got undefined'],
    ['has 257 bytes', 'a'.repeat(257), `entity must be at most 256 bytes of UTF-8, got "${'a'.repeat(60)}…" (257 characters)`],
    ['has 65 emoji of 4 bytes', '😀'.repeat(65), 'entity must be at most 256 bytes of UTF-8'],
    ['has 129 letters of 2 bytes', 'é'.repeat(129), 'entity must be at most 256 bytes of UTF-8'],
    ['holds NUL', 'a\u0000b', 'entity must be printable characters only, got "a\\u0000b"'],
    ['holds a line feed', 'a\nb', 'printable characters only'],
    ['holds a tab', '\t', 'printable characters only'],
    ['holds DEL', 'a\u007f', 'printable characters only'],
    ['holds a C1 control', '\u0085', 'printable characters only'],
    ['holds a line separator', 'a\u2028', 'printable characters only'],
    ['holds a paragraph separator', '\u2029b', 'printable characters only'],
    ['holds a lone high surrogate', 'a\ud83d', 'printable characters only'],
    ['holds a lone high surrogate before a letter', '\ud83da', 'printable characters only'],
    ['holds a lone low surrogate', '\ude00a', 'printable characters only'],
    ['holds surrogates the wrong way round', '\ude00\ud83d', 'printable characters only'],
    ['holds a low surrogate after a pair', '😀\ude00', 'printable characters only'],
  ])('that %s is refused', (_, name, message) => {
    const error = refusal(() => checkName('entity', name));

    expect(error).toBeInstanceOf(ValidationError);
    expect(error.message).toContain(message);
  });

  it('is refused with the word for what it stands for', () => {
    const subjects = (['entity', 'resource', 'namespace', 'parent'] as const).map((kind) => refusal(() => checkName(kind, '')));

    expect(subjects).toMatchObject([{ subject: 'entity' }, { subject: 'resource' }, { subject: 'namespace' }, { subject: 'parent' }]);
  });

  it('is counted in the bytes that UTF-8 gives it', () => {
    const isCounted = fc.property(
      fc.string({ unit: 'binary', maxLength: 80 }),
      (text) => utf8Length(text) === Buffer.byteLength(text, 'utf8'),
    );

    fc.assert(isCounted, { numRuns: 2_000 });
  });
});

describe('a whole number', () => {
  it.each([1, 5, 10])('%d lies between the bounds', (value) => {
    expect(checkInteger('n', value, 1, 10)).toBe(value);
  });

  it.each([0, 11, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '5', 5n, null, undefined, [5]])('%s is refused', (value) => {
    const error = refusal(() => checkInteger('option "n"', value, 1, 10));

    expect(error.message).toMatch(/^option "n" must be a whole number from 1 to 10, got /);
  });
});

describe('option keys', () => {
  it.each([{}, { limits: [] }, { limits: undefined, signal: 1 }, Object.create({ misspelt: 1 })])('%j are all known', (options) => {
    expect(() => checkKeys('options', options, ['limits', 'signal'])).not.toThrow();
  });

  it('that nobody reads are refused, and the known ones are told', () => {
    const error = refusal(() => checkKeys('options', { limit: [] }, ['limits', 'signal']));

    expect(error.message).toBe('options key must be one of limits, signal, got "limit"');
  });

  it.each([undefined, null, 'limits', 7, [], ['limits']])('are not to be found in %j', (options) => {
    const error = refusal(() => checkKeys('options', options, ['limits']));

    expect(error.message).toMatch(/^options must be an object, got /);
  });
});
