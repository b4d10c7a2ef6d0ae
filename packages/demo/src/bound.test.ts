import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bound, checkBound, type Movement } from './bound.js';

const tenAtOnceOneAMs: Bound = { capacity: 10, refill: 1_000, periodMs: 1_000 };

function at(ms: number, kind: Movement['kind'], tokens: number): Movement {
  return { kind, tokens, fromMs: ms, toMs: ms };
}

describe('checking a bound', () => {
  it('finds nothing where nothing was taken', () => {
    expect(checkBound(tenAtOnceOneAMs, [])).toEqual({ peakTokens: 0, beyondTokens: 0 });
  });

  it('lets the whole capacity be taken at once, and not a token more', () => {
    expect(checkBound(tenAtOnceOneAMs, [at(0, 'reservation', 10)])).toEqual({ peakTokens: 10, beyondTokens: 0 });
    expect(checkBound(tenAtOnceOneAMs, [at(0, 'reservation', 10), at(0, 'reservation', 1)]).beyondTokens).toBe(1);
  });

  it('lets what came back in between be taken again', () => {
    const taken = [at(0, 'reservation', 10), at(4, 'reservation', 4)];

    expect(checkBound(tenAtOnceOneAMs, taken).beyondTokens).toBe(0);
    expect(checkBound(tenAtOnceOneAMs, [...taken, at(4, 'reservation', 1)]).beyondTokens).toBe(1);
  });

  it('does not let idle time be saved up beyond the capacity', () => {
    expect(checkBound(tenAtOnceOneAMs, [at(0, 'reservation', 1), at(1_000, 'reservation', 12)]).beyondTokens).toBe(2);
  });

  it('lets what was given back be taken again, but not before', () => {
    const first = at(0, 'reservation', 10);

    expect(checkBound(tenAtOnceOneAMs, [first, at(1, 'credit', 5), at(1, 'reservation', 6)]).beyondTokens).toBe(0);
    expect(checkBound(tenAtOnceOneAMs, [first, at(1, 'reservation', 6), at(2, 'credit', 5)]).beyondTokens).toBe(5);
  });

  it('does not blame a limit for a charge, but for what it admits in spite of it', () => {
    const debt = [at(0, 'reservation', 10), at(1, 'charge', 20)];

    expect(checkBound(tenAtOnceOneAMs, debt).beyondTokens).toBe(0);
    expect(checkBound(tenAtOnceOneAMs, [...debt, at(2, 'reservation', 1)]).beyondTokens).toBe(19);
  });

  it('gives a limit the benefit of every doubt about when', () => {
    const slow: Movement = { kind: 'reservation', tokens: 10, fromMs: 0, toMs: 8 };

    expect(checkBound(tenAtOnceOneAMs, [slow, at(8, 'reservation', 8)]).beyondTokens).toBe(0);
    expect(checkBound(tenAtOnceOneAMs, [slow, at(8, 'reservation', 9)]).beyondTokens).toBe(1);
  });
});

/** A step of some caller: after a gap, it asks for tokens, is charged, or gives back; its replies take their time. */
const step = fc.record({
  gapMs: fc.integer({ min: 1, max: 12 }),
  kind: fc.constantFrom('reservation' as const, 'reservation' as const, 'charge' as const, 'credit' as const),
  tokens: fc.integer({ min: 1, max: 10 }),
  sentMs: fc.integer({ min: 0, max: 30 }),
  repliedMs: fc.integer({ min: 0, max: 30 }),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Runs steps on a bucket of that capacity: what it admitted, as seen by its callers, and how full it ever was by a reservation. */
function run(steps: readonly Step[], capacity: number, blur: boolean): { movements: Movement[]; peakTokens: number } {
  const movements: Movement[] = [];
  let [nowMs, level, peakTokens] = [0, 0, 0];
  for (const { gapMs, kind, tokens, sentMs, repliedMs } of steps) {
    nowMs += gapMs;
    level = Math.max(0, level - gapMs);
    if (kind === 'reservation' && level + tokens > capacity) continue;
    level = Math.max(0, level + (kind === 'credit' ? -tokens : tokens));
    if (kind === 'reservation') peakTokens = Math.max(peakTokens, level);
    movements.push({ kind, tokens, fromMs: nowMs - (blur ? sentMs : 0), toMs: nowMs + (blur ? repliedMs : 0) });
  }
  return { movements, peakTokens };
}

describe('checking any bucket', () => {
  it('accuses none that kept its bound, however late its callers heard', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const { movements, peakTokens } = run(steps, 10, true);

        const found = checkBound(tenAtOnceOneAMs, movements);

        expect(found.beyondTokens).toBe(0);
        expect(found.peakTokens).toBeLessThanOrEqual(peakTokens);
      }),
    );
  });

  it('finds exactly how far one went that did not, where its callers know when', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const { movements, peakTokens } = run(steps, 14, false);

        expect(checkBound(tenAtOnceOneAMs, movements)).toEqual({ peakTokens, beyondTokens: Math.max(0, peakTokens - 10) });
      }),
    );
  });
});
