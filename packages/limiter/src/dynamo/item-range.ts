import type { ItemQuery } from '../admin/item-table.js';

/** Which sort keys a query reads: both ends included. Where `after` is given, reading goes on behind it. */
export interface SortRange {
  readonly low?: string;
  readonly high?: string;
  readonly after?: string;
}

/**
 * The range of a query, or undefined where nothing can be in it. DynamoDB takes one condition on the sort key, so prefix
 * and bounds become one range; and it refuses to go on from a place outside of that range, so such a place is left out.
 */
export function sortRange(query: ItemQuery): SortRange | undefined {
  const { prefix = '', from, to, after, newestFirst = false } = query;
  const low = latest(prefix === '' ? undefined : prefix, from);
  const high = earliest(prefix === '' ? undefined : behindPrefix(prefix), to);
  if (low !== undefined && high !== undefined && compareBytes(low, high) > 0) return undefined;
  const ends = { ...(low === undefined ? {} : { low }), ...(high === undefined ? {} : { high }) };
  if (after === undefined) return ends;
  const [start, end] = newestFirst ? [high, low] : [low, high];
  const direction = newestFirst ? -1 : 1;
  if (end !== undefined && compareBytes(after, end) * direction >= 0) return undefined;
  const isBeforeStart = start !== undefined && compareBytes(after, start) * direction < 0;
  return isBeforeStart ? ends : { ...ends, after };
}

/** DynamoDB orders sort keys by their bytes in UTF-8, which is not how JavaScript orders text. */
function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const LAST_POINT = 0x10ffff;

/** The first text behind all that begin with a prefix; undefined where there is none. */
function behindPrefix(prefix: string): string | undefined {
  const points = [...prefix].map((character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === LAST_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  // Surrogates have no form in UTF-8, so what follows U+D7FF is U+E000.
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
}

function latest(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareBytes(a, b) >= 0 ? a : b;
}

function earliest(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareBytes(a, b) <= 0 ? a : b;
}
