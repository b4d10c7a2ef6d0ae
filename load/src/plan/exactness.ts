import { Limit } from '@millrace/core';
import { mostAdmitted } from './bounds.js';
import type { Figures } from './figures.js';
import { checkLedger, type Ledger } from './ledger.js';
import type { World } from './scenario.js';
import { type TokenKind, TURNS_BEGUN, TURNS_ENDED, tokenCounter } from './series.js';
import { figure } from './tables.js';

/** What the table says of one limit of a bucket, all items of it together. */
export interface Book {
  readonly entity: string;
  readonly resource: string;
  readonly limit: string;
  /** Tokens used less tokens returned. */
  readonly net: number;
  /** Tokens that the bucket is in debt by, beyond its capacity, at the end of the run. */
  readonly debt: number;
  /** When the first of its items was made. */
  readonly sinceMs: number;
}

/** One thing that must be true of the table and the counts together. */
interface ExactnessCheck {
  readonly name: string;
  readonly ok: boolean;
  /** What was compared, in words. */
  readonly detail: string;
}

export interface Exactness {
  readonly ok: boolean;
  readonly buckets: number;
  readonly checks: readonly ExactnessCheck[];
}

/** What the books are held against. */
export interface Evidence {
  readonly world: World;
  readonly figures: Figures;
  /** When the last call of the run had ended. */
  readonly endMs: number;
  /** Whether adjustments may leave a bucket in debt. */
  readonly mayOwe: boolean;
  /** What the usage ledger says; absent where nobody kept one. */
  readonly ledger?: Ledger;
}

/**
 * Holds the table against the limits, and against what the load itself counted. A rate limiter is exact if no bucket gave
 * more than its capacity and what flowed, and if the books say to the token what callers say: neither minted, nor leaked.
 */
export function checkBooks(books: readonly Book[], evidence: Evidence): Exactness {
  const { ledger } = evidence;
  const inLedger = ledger === undefined ? [] : [checkLedger(books, ledger)];
  const checks = [withinLimits(books, evidence), ...asCounted(books, evidence), ...asBelow(books, evidence), ...inLedger];
  return { ok: checks.every(({ ok }) => ok), buckets: new Set(books.map(bucketOf)).size, checks };
}

/** No bucket gave more than C + r·w, w being its own time. */
function withinLimits(books: readonly Book[], { world, endMs, mayOwe }: Evidence): ExactnessCheck {
  const judged = books.map((book) => {
    const limit = limitOf(world, book);
    const bound = limit === undefined ? 0 : mostAdmitted(limit, Math.max(0, endMs - book.sinceMs)) + (mayOwe ? book.debt : 0);
    return { book, bound, share: book.net / bound };
  });
  const above = judged.filter(({ book, bound }) => book.net > bound);
  const [worst] = [...(above.length > 0 ? above : judged)].sort((a, b) => b.share - a.share);
  const name = 'every bucket gave at most its capacity and what flowed';
  if (worst === undefined) return { name, ok: true, detail: 'no bucket was used' };
  const { book, bound } = worst;
  const detail = `${book.limit} of "${book.entity}" on "${book.resource}" gave most: ${figure(book.net)} of ${figure(bound)}`;
  return { name, ok: above.length === 0, detail: above.length > 1 ? `${detail}; ${above.length} gave too much` : detail };
}

/** What callers counted is what the buckets of those they named say. */
function asCounted(books: readonly Book[], { world, figures }: Evidence): readonly ExactnessCheck[] {
  const parents = parentsOf(world);
  const interrupted = brokenOff(figures);
  return limitNames(world.resources).map((limit) => {
    const count = (kind: TokenKind): number => figures.counts[tokenCounter(kind, limit)] ?? 0;
    const counted = count('taken') + count('added') - count('returned');
    const inTable = sum(books.filter((book) => book.limit === limit && !parents.has(book.entity)));
    const unknown = count('unknown');
    const detail = `${limit}: ${figure(inTable)} in the table, ${figure(counted)} counted`;
    const name = 'the table says what callers counted';
    if (interrupted > 0) return { name, ok: true, detail: `${detail}; not judged, as ${interrupted} turns were broken off` };
    if (unknown > 0)
      return { name, ok: Math.abs(inTable - counted) <= unknown, detail: `${detail}, ${unknown} of calls without an answer` };
    return { name, ok: inTable === counted, detail };
  });
}

/** A parent gave what its children gave together. */
function asBelow(books: readonly Book[], { world, figures }: Evidence): readonly ExactnessCheck[] {
  const parents = [...parentsOf(world)];
  if (parents.length === 0) return [];
  const parentBy = new Map(world.entities.map(({ id, parent }) => [id, parent]));
  const byEntity = new Map<string, number>();
  const below = new Map<string, number>();
  for (const { entity, resource, limit, net } of books) {
    add(byEntity, JSON.stringify([entity, resource, limit]), net);
    const parent = parentBy.get(entity);
    if (parent !== undefined) add(below, JSON.stringify([parent, resource, limit]), net);
  }
  const wrong = [...below].filter(([key, net]) => (byEntity.get(key) ?? 0) !== net);
  const isKnown =
    brokenOff(figures) === 0 && !Object.entries(figures.counts).some(([name, count]) => count !== 0 && name.startsWith('unknown_'));
  const detail =
    wrong.length === 0
      ? `${parents.length === 1 ? '1 parent' : `${parents.length} parents`}, ${figure(sum(books.filter(({ entity }) => parents.includes(entity))))} tokens`
      : wrong.map(([key, net]) => `${key} gave ${byEntity.get(key) ?? 0}, its children ${net}`).join('; ');
  return [{ name: 'every parent gave what its children gave', ok: wrong.length === 0 || !isKnown, detail }];
}

/**
 * The limit of a world that a book is about. Where limits change, what holds for it is the largest capacity and the fastest
 * rate of all that it may have had: no change of limits admits more than the larger one would.
 */
export function limitOf(world: World, { entity, resource, limit }: Pick<Book, 'entity' | 'resource' | 'limit'>): Limit | undefined {
  const own = world.own.find((each) => each.entity === entity && each.resource === resource)?.limits;
  const later = (world.later ?? [])
    .filter((each) => each.resource === resource && (each.entity === undefined ? own === undefined : each.entity === entity))
    .map(({ limits }) => limits);
  const held = [own ?? world.resources[resource] ?? [], ...later].flatMap((limits) => limits.filter(({ name }) => name === limit));
  return widest(held);
}

/** A limit that admits whatever one of these does. */
export function widest(limits: readonly Limit[]): Limit | undefined {
  const [first] = limits;
  if (first === undefined) return undefined;
  const fastest = limits.reduce((best, each) => (each.refill / each.periodMs > best.refill / best.periodMs ? each : best), first);
  return Limit.of({ ...fastest, capacity: Math.max(...limits.map(({ capacity }) => capacity)) });
}

/** The names of all limits, once each. */
export function limitNames(resources: World['resources']): readonly string[] {
  return [...new Set(Object.values(resources).flatMap((limits) => limits.map(({ name }) => name)))];
}

function brokenOff({ counts }: Figures): number {
  return (counts[TURNS_BEGUN] ?? 0) - (counts[TURNS_ENDED] ?? 0);
}

function parentsOf({ entities }: World): ReadonlySet<string> {
  return new Set(entities.flatMap(({ parent }) => parent ?? []));
}

function bucketOf({ entity, resource }: Book): string {
  return JSON.stringify([entity, resource]);
}

function add(sums: Map<string, number>, key: string, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount);
}

function sum(books: readonly Book[]): number {
  return books.reduce((total, { net }) => total + net, 0);
}
