import { describe, expect, it } from 'vitest';
import { COLOURED } from './style.js';
import { details, table } from './table.js';

describe('a table', () => {
  it('aligns words to the left, and numbers with their thousands apart to the right', () => {
    const text = table(
      ['limit', 'tokens', 'per'],
      [
        ['rpm', 500, 'min'],
        ['tpm', 1_000_000, 'hour'],
      ],
    );

    expect(text).toBe('limit     tokens  per\nrpm          500  min\ntpm    1,000,000  hour\n');
  });

  it('has a dash where nothing is, and nothing behind the last cell of a line', () => {
    expect(
      table(
        ['a', 'b'],
        [
          ['long word', undefined],
          ['x', 'y'],
          ['', 'z'],
        ],
      ),
    ).toBe('a          b\nlong word  -\nx          y\n-          z\n');
  });

  it('says that it is empty instead of showing a head without lines', () => {
    expect(table(['entity'], [], { empty: 'no entities' })).toBe('no entities\n');
    expect(table(['entity'], [])).toBe('none\n');
  });

  it('aligns by what a terminal shows: wide signs take two columns, marks and colours none', () => {
    const text = table(
      ['name', 'n'],
      [
        ['日本', 1],
        ['👩‍💻', 2],
        ['e\u0301', 3],
        ['abcd', 4],
      ],
    );

    expect(text).toBe('name  n\n日本  1\n👩‍💻    2\ne\u0301     3\nabcd  4\n');
    expect(table(['name', 'n'], [['a', 1]], { style: COLOURED })).toBe('\u001b[1mname  n\u001b[22m\na     1\n');
  });

  it('never sends to the terminal what a name or a reason holds to command it', () => {
    const hostile = 'a\u001b[31mb\nc\u202ed\u0007';

    expect(table(['reason'], [[hostile]])).toBe('reason\na\\u001b[31mb\\u000ac\\u202ed\\u0007\n');
    expect(details([['reason', hostile]])).toBe('reason  a\\u001b[31mb\\u000ac\\u202ed\\u0007\n');
  });
});

describe('details', () => {
  it('align names and values, and leave out what is undefined', () => {
    const pairs = [
      ['entity', 'key-1'],
      ['parent', undefined],
      ['id', 1234],
    ] as const;

    expect(details(pairs)).toBe('entity  key-1\nid      1,234\n');
  });
});
