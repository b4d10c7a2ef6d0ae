import type { WindowType } from '@millrace/core';
import type { Share } from './changes.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MOST_TOLD = 5;

/** Amounts by what they are of. */
export type Totals = ReadonlyMap<string, bigint>;

/** Names a sum of the millrace side: what was taken from a key in a window, or given back. */
export function windowTotal(namespaceId: string, key: string, type: WindowType, startMs: number, what: 'taken' | 'returned'): string {
  return `${namespaceId} ${key} ${type} ${new Date(startMs).toISOString()} ${what}`;
}

/** Names what the other side keeps: the balance of a key, and of all keys together a window's sum and count. */
export function balanceTotal(namespaceId: string, key: string): string {
  return `${namespaceId} ${key} balance`;
}

export function periodTotal(namespaceId: string, type: WindowType, startMs: number, what: 'sum' | 'count'): string {
  return `${namespaceId} all ${type} ${new Date(startMs).toISOString()} ${what}`;
}

/**
 * The window of UTC that a moment falls into, by nothing but the arithmetic of dates. It shares no line with the ledger's
 * calendar, which is what it is compared with.
 */
export function utcStartMs(type: WindowType, atMs: number): number {
  const date = new Date(atMs);
  const midnight = Math.floor(atMs / DAY_MS) * DAY_MS;
  switch (type) {
    case 'hour':
      return Math.floor(atMs / HOUR_MS) * HOUR_MS;
    case 'day':
      return midnight;
    case 'week':
      return midnight - ((date.getUTCDay() + 6) % 7) * DAY_MS;
    case 'month':
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  }
}

/** What windows must hold, by adding up all changes one by one. */
export function trueWindows(shares: readonly Share[], types: readonly WindowType[]): Totals {
  const sums = new Sums();
  for (const { namespaceId, changes } of shares) {
    for (const { key, atMs, tokens } of changes) {
      for (const type of types) {
        const startMs = utcStartMs(type, atMs);
        sums.add(windowTotal(namespaceId, key, type, startMs, 'taken'), Math.max(tokens, 0));
        sums.add(windowTotal(namespaceId, key, type, startMs, 'returned'), Math.max(-tokens, 0));
      }
    }
  }
  return sums.totals;
}

/** What balances and periods must hold, in the same way. */
export function trueBalances(shares: readonly Share[], types: readonly WindowType[]): Totals {
  const sums = new Sums();
  for (const { namespaceId, changes } of shares) {
    for (const { key, atMs, tokens } of changes) {
      sums.add(balanceTotal(namespaceId, key), tokens);
      for (const type of types) {
        sums.add(periodTotal(namespaceId, type, utcStartMs(type, atMs), 'sum'), tokens);
        sums.add(periodTotal(namespaceId, type, utcStartMs(type, atMs), 'count'), 1);
      }
    }
  }
  return sums.totals;
}

/** Adds amounts up by name. */
export class Sums {
  readonly totals = new Map<string, bigint>();

  add(name: string, amount: number | bigint): void {
    this.totals.set(name, (this.totals.get(name) ?? 0n) + BigInt(amount));
  }
}

/** A bench whose totals are wrong has measured something else. */
export class WrongTotals extends Error {
  override readonly name = 'WrongTotals';
}

/**
 * Compares what was kept with brute force, to the token. A total that is there and should not be is as wrong as one that lacks.
 *
 * @throws WrongTotals with the first differences
 */
export function checkTotals(who: string, expected: Totals, found: Totals): void {
  const names = new Set([...expected.keys(), ...found.keys()]);
  const wrong = [...names].filter((name) => expected.get(name) !== found.get(name));
  if (wrong.length === 0) return;
  const told = wrong
    .slice(0, MOST_TOLD)
    .map((name) => `  ${name}: expected ${expected.get(name) ?? 'none'}, got ${found.get(name) ?? 'none'}`);
  throw new WrongTotals(`${who}: ${wrong.length} of ${names.size} totals are wrong\n${told.join('\n')}`);
}
