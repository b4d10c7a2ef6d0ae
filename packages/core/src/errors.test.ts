import { describe, expect, it } from 'vitest';
import { describeValue, hasErrorCode, isMillraceError, MillraceError, ValidationError } from './errors.js';
import { checkSchemaVersion, SCHEMA_VERSION } from './schema/version.js';

describe('an error', () => {
  it('keeps its code and its cause', () => {
    const cause = new Error('underneath');

    const error = new MillraceError('UNAVAILABLE', 'no answer', { cause });

    expect(error).toMatchObject({ name: 'MillraceError', code: 'UNAVAILABLE', message: 'no answer', cause });
  });

  it('says what it is about in data that its code types, and shows none where it has none', () => {
    const error: unknown = new MillraceError('ENTITY_NOT_FOUND', 'there is no entity "key"', { data: { entity: 'key' } });

    expect(hasErrorCode(error, 'ENTITY_NOT_FOUND') && error.data?.entity).toBe('key');
    expect(hasErrorCode(error, 'ENTITY_EXISTS')).toBe(false);
    expect(hasErrorCode(Object.assign(new Error('no'), { code: 'ENTITY_NOT_FOUND' }), 'ENTITY_NOT_FOUND')).toBe(false);
    expect(Object.keys(new MillraceError('CLOSED', '')).sort()).toEqual(['code', 'name']);
  });

  it('of a schema too far away says which was found and which is known', () => {
    const read = () => checkSchemaVersion('the item', SCHEMA_VERSION + 2);

    expect(read).toThrow(expect.objectContaining({ data: { found: SCHEMA_VERSION + 2, known: SCHEMA_VERSION } }));
  });

  it('is told from other errors by its brand, also one of another copy of the package', () => {
    class OtherCopy extends Error {
      readonly code = 'VALIDATION';
    }
    Object.defineProperty(OtherCopy.prototype, 'millrace', { value: true });

    expect([new MillraceError('CLOSED', ''), new ValidationError('a', 'b', 1), new OtherCopy()].every(isMillraceError)).toBe(true);
  });

  it.each([
    ['an error of somebody else', Object.assign(new Error('no'), { code: 'ENOENT' })],
    ['an object that looks like one', { code: 'VALIDATION', millrace: true }],
    ['nothing', undefined],
  ])('is not %s', (_, other) => {
    expect(isMillraceError(other)).toBe(false);
  });

  it('shows no brand among its own properties', () => {
    const error = new ValidationError('limit "rpm"', 'a number', 'x');

    expect(Object.keys(error).sort()).toStrictEqual(['code', 'expected', 'name', 'subject', 'value']);
  });
});

describe('a value in a message', () => {
  it.each([
    ['text', '"text"'],
    ['two\nlines "quoted"', '"two\\nlines \\"quoted\\""'],
    ['x'.repeat(60), `"${'x'.repeat(60)}"`],
    ['x'.repeat(61), `"${'x'.repeat(60)}…" (61 characters)`],
    [1.5, '1.5'],
    [Number.NaN, 'NaN'],
    [5n, '5n'],
    [undefined, 'undefined'],
    [null, 'null'],
    [() => 1, 'a function'],
    [[1, 2], 'an array of 2'],
    [{}, 'an empty object'],
    [new Date(Date.UTC(2026, 4, 8, 12, 30)), '2026-05-08T12:30:00.000Z'],
    [new Date(Number.NaN), 'an invalid date'],
    [{ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 }, 'an object with a, b, c, d, e'],
    [Symbol('s'), 'Symbol(s)'],
  ])('%# is short, on one line, and says its type', (value, expected) => {
    expect(describeValue(value)).toBe(expected);
  });
});
