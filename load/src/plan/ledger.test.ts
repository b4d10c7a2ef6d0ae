import { describe, expect, it } from 'vitest';
import { checkLedger } from './ledger.js';

const of = (entity: string, net: number, limit = 'rps') => ({ entity, resource: 'api', limit, net });
const whole = { gaps: 0, unread: 0 };

describe('the usage ledger', () => {
  it('is right where it says what the buckets say', () => {
    expect(checkLedger([of('a', 5), of('b', -2)], { ...whole, books: [of('b', -2), of('a', 5)] })).toMatchObject({
      ok: true,
      detail: '3 tokens of 2 limits',
    });
  });

  it('need not know of what was given back whole', () => {
    expect(checkLedger([of('a', 0)], { ...whole, books: [] }).ok).toBe(true);
    expect(checkLedger([], { ...whole, books: [of('a', 0)] }).ok).toBe(true);
  });

  it.each([
    ['a token short', [of('a', 4)], 'rps of "a" on "api": 4 in the ledger, 5 in the table'],
    ['a token over', [of('a', 6)], '6 in the ledger'],
    ['of another limit', [of('a', 5, 'tpm')], 'tpm of "a" on "api": 5 in the ledger, and no bucket'],
    ['empty', [], '0 in the ledger, 5 in the table'],
  ])('that is %s is wrong', (_, books, detail) => {
    expect(checkLedger([of('a', 5)], { ...whole, books })).toMatchObject({ ok: false, detail: expect.stringContaining(detail) });
  });

  it('that has gaps, or passed records over, is wrong although its sums are right', () => {
    const books = [of('a', 5)];

    expect(checkLedger(books, { books, gaps: 1, unread: 0 })).toMatchObject({ ok: false, detail: expect.stringContaining('1 gaps') });
    expect(checkLedger(books, { books, gaps: 0, unread: 2 })).toMatchObject({ ok: false, detail: expect.stringContaining('2 records') });
  });

  it('tells a few differences and how many more there are', () => {
    const buckets = Array.from({ length: 10 }, (_, index) => of(`k${index}`, 1));

    expect(checkLedger(buckets, { ...whole, books: [] }).detail).toMatch(/^rps of "k0".*rps of "k2"[^;]*; 7 more differ$/);
  });
});
