import { creditUs, debitUs, Limit, timingOf } from '@millrace/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Chunk, type Tokens } from './chunk.js';
import { type Level, levelFor } from './level.js';
import { Stock } from './stock.js';

const RATES = [1, 7, 60, 333, 6_000, 100_000, 48_000_000, 900_000_000].map((refill) =>
  Limit.perMinute('rpm', refill, { capacity: 1_000_000 }),
);

function levelOf(limit: Limit, tokens: number, roundingUs = 0): Level {
  const ref = { namespaceId: 'ns', entity: 'key', resource: 'model', shard: 0 };
  const level = levelFor(
    { ref, bucket: 'key/model', stored: undefined, limits: [limit], configVersion: 1, mode: 'enforce', waitUs: 0 },
    { [limit.name]: tokens },
  );
  return { ...level, debits: level.debits.map((debit) => ({ ...debit, chargeUs: debit.chargeUs + roundingUs })) };
}

/** What happens to a stock: a chunk comes, a request is served or refused elsewhere, time passes. */
const anyStep = fc.oneof(
  fc.record({ kind: fc.constant('chunk' as const), tokens: fc.integer({ min: 1, max: 200 }), roundingUs: fc.integer({ min: 0, max: 50 }) }),
  fc.record({ kind: fc.constant('take' as const), tokens: fc.integer({ min: 1, max: 60 }), isRefused: fc.boolean() }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 700 }) }),
);

const sum = (parts: readonly Tokens[]): Omit<Tokens, 'limit'> => ({
  tokens: parts.reduce((total, { tokens }) => total + tokens, 0),
  chargedUs: parts.reduce((total, { chargedUs }) => total + chargedUs, 0),
});

/** A stock, and an account of all that goes into it and comes out. */
class Books {
  readonly stock = new Stock();
  readonly taken: Tokens[] = [];
  readonly out: Tokens[] = [];
  readonly #limit: Limit;
  #nowMs = 0;

  constructor(limit: Limit) {
    this.#limit = limit;
  }

  pass(ms: number): void {
    this.#nowMs += ms;
    this.out.push(...this.stock.removeEnded(this.#nowMs).flatMap((chunk) => chunk.close()));
  }

  chunk(tokens: number, roundingUs: number): void {
    const level = levelOf(this.#limit, tokens, roundingUs);
    this.stock.add(new Chunk(level, this.#nowMs + 1_000));
    this.taken.push({ limit: 'rpm', tokens, chargedUs: level.debits[0]?.chargeUs ?? 0 });
  }

  /** Together with what the table has to add, a request has exactly what it asked for, and is charged for it. */
  take(tokens: number, isRefused: boolean): void {
    const [{ debits }, timing] = [levelOf(this.#limit, tokens), timingOf(this.#limit)];
    const isCovered = this.stock.covers(debits);
    const { parts, missing } = this.stock.withdraw(debits);
    const own = sum(parts.map(({ part }) => part));
    const { tokens: more, chargeUs } = missing[0] ?? { tokens: 0, chargeUs: 0 };
    expect([missing.length === 0, own.tokens + more, own.chargedUs + chargeUs]).toEqual([isCovered, tokens, debitUs(timing, tokens)]);
    expect(chargeUs).toBeGreaterThanOrEqual(debitUs(timing, more));
    if (isRefused) expect(parts.every(({ chunk, part }) => chunk.putBack(part))).toBe(true);
    else this.out.push({ limit: 'rpm', ...own });
  }
}

describe('a stock of chunks', () => {
  it('has served, handed out at the end, and holds, together, what was taken for it: no token more or less, and no time more', () => {
    const conserves = fc.property(fc.constantFrom(...RATES), fc.array(anyStep, { maxLength: 60 }), (limit, steps) => {
      const books = new Books(limit);
      for (const step of steps) {
        if (step.kind === 'pass') books.pass(step.ms);
        if (step.kind === 'chunk') books.chunk(step.tokens, step.roundingUs);
        if (step.kind === 'take') books.take(step.tokens, step.isRefused);
        books.pass(0);
      }
      const held = books.stock.held('rpm');
      const [all, gone] = [sum(books.taken), sum([...books.out, held])];
      expect(gone.tokens).toBe(all.tokens);
      expect(gone.chargedUs).toBeLessThanOrEqual(all.chargedUs);
      expect(Math.min(held.tokens, held.chargedUs)).toBeGreaterThanOrEqual(0);
    });

    fc.assert(conserves, { numRuns: 3_000 });
  });

  it('is spent to the last token by requests that each round up, where that was charged for', () => {
    const limit = Limit.perMinute('rpm', 333, { capacity: 1_000 });
    const stock = new Stock();
    stock.add(new Chunk(levelOf(limit, 50, 50), 1_000));

    for (let index = 0; index < 50; index += 1) expect(stock.withdraw(levelOf(limit, 1).debits).missing).toEqual([]);

    expect(stock.held('rpm').tokens).toBe(0);
  });

  it('gives no token away for less than it is charged: what rounding has eaten is missing', () => {
    const limit = Limit.perMinute('rpm', 333, { capacity: 1_000 });
    const stock = new Stock();
    stock.add(new Chunk(levelOf(limit, 2), 1_000));
    stock.withdraw(levelOf(limit, 1).debits);

    expect(stock.held('rpm')).toMatchObject({ tokens: 1, chargedUs: creditUs(timingOf(limit), 1) });
    expect(stock.withdraw(levelOf(limit, 1).debits)).toMatchObject({ missing: [{ tokens: 1 }] });
  });

  it('spends the oldest first', () => {
    const limit = Limit.perMinute('rpm', 60);
    const [stock, old, young] = [new Stock(), new Chunk(levelOf(limit, 3), 1_000), new Chunk(levelOf(limit, 3), 2_000)];
    for (const chunk of [old, young]) stock.add(chunk);

    stock.withdraw(levelOf(limit, 4).debits);

    expect([old.left('rpm').tokens, young.left('rpm').tokens]).toEqual([0, 2]);
  });
});

describe('a chunk', () => {
  it('hands out what is left once, and takes nothing back after its end', () => {
    const chunk = new Chunk(levelOf(Limit.perMinute('rpm', 60), 5), 1_000);
    const part = chunk.withdraw({ limit: 'rpm', tokens: 2, chargedUs: 2_000_000 });

    expect(chunk.close()).toEqual([{ limit: 'rpm', tokens: 3, chargedUs: 3_000_000 }]);
    expect([chunk.close(), chunk.putBack(part), chunk.left('rpm').tokens]).toEqual([[], false, 0]);
  });
});
