import { ValidationError } from '@millrace/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkHedging, HedgeBudget } from './hedge-budget.js';

describe('the budget of second copies', () => {
  it('allows no more than its share of the debits and ten, whenever they are wanted', () => {
    const anyShare = fc.double({ min: 0.001, max: 0.5, noNaN: true });
    fc.assert(
      fc.property(anyShare, fc.array(fc.boolean(), { maxLength: 2_000 }), (share, wanted) => {
        const budget = new HedgeBudget(share);
        let sent = 0;
        for (const isWanted of wanted) {
          budget.earn();
          if (!isWanted || !budget.allows(0)) continue;
          budget.spend();
          sent += 1;
        }
        expect(sent).toBeLessThanOrEqual(share * wanted.length + 1e-9);
      }),
    );
  });

  it('saves up ten at most', () => {
    const budget = new HedgeBudget(0.5);
    for (let debits = 0; debits < 1_000; debits += 1) budget.earn();
    let sent = 0;
    for (; budget.allows(0); sent += 1) budget.spend();

    expect(sent).toBe(10);
  });

  it('is closed for ten seconds after a throttle', () => {
    const budget = new HedgeBudget(0.5);
    for (let debits = 0; debits < 4; debits += 1) budget.earn();
    budget.stop(1_000);

    expect([999, 10_999, 11_000].map((nowMs) => budget.allows(nowMs))).toEqual([false, false, true]);
  });
});

describe('the option "hedging"', () => {
  it.each([
    [undefined, undefined],
    [false, undefined],
    [true, { budget: 0.05, floorMs: 5 }],
    [{}, { budget: 0.05, floorMs: 5 }],
    [{ budget: 0.01 }, { budget: 0.01, floorMs: 5 }],
    [{ floorMs: 20 }, { budget: 0.05, floorMs: 20 }],
  ])('of %j means %j', (option, meant) => {
    expect(checkHedging(option)).toEqual(meant);
  });

  it.each([
    ['yes', 'option "hedging"'],
    [null, 'option "hedging"'],
    [[], 'option "hedging"'],
    [{ delayMs: 5 }, 'delayMs'],
    [{ budget: 0 }, 'hedging.budget'],
    [{ budget: 0.6 }, 'hedging.budget'],
    [{ budget: Number.NaN }, 'hedging.budget'],
    [{ budget: '5%' }, 'hedging.budget'],
    [{ floorMs: -1 }, 'hedging.floorMs'],
    [{ floorMs: 1.5 }, 'hedging.floorMs'],
  ])('of %j is refused by name', (option, says) => {
    expect(() => checkHedging(option)).toThrow(ValidationError);
    expect(() => checkHedging(option)).toThrow(says);
  });
});
