/** What was consumed of one limit of a bucket. */
interface Consumed {
  readonly entity: string;
  readonly resource: string;
  readonly limit: string;
  /** Tokens used less tokens returned. */
  readonly net: number;
}

/** What the usage ledger says of a run: the aggregator's windows, made of the table's stream. */
export interface Ledger {
  readonly books: readonly Consumed[];
  /** Windows that do not join the ones before them. */
  readonly gaps: number;
  /** Records of the stream that could not be read. */
  readonly unread: number;
}

/** How many differences are told. */
const TOLD = 3;

/** Holds the ledger against the counters of the buckets: what is billed is, to the token, what was admitted. */
export function checkLedger(buckets: readonly Consumed[], { books, gaps, unread }: Ledger) {
  const inLedger = new Map(books.map((book) => [nameOf(book), book.net]));
  const wrong = buckets.filter((bucket) => (inLedger.get(nameOf(bucket)) ?? 0) !== bucket.net);
  const known = new Set(buckets.map(nameOf));
  const strange = books.filter((book) => !known.has(nameOf(book)) && book.net !== 0);
  const differences = [
    ...wrong.map((bucket) => `${told(bucket)} ${inLedger.get(nameOf(bucket)) ?? 0} in the ledger, ${bucket.net} in the table`),
    ...strange.map((book) => `${told(book)} ${book.net} in the ledger, and no bucket of it in the table`),
  ];
  const tokens = books.reduce((sum, { net }) => sum + net, 0);
  const details = [
    differences.length === 0 ? `${tokens} tokens of ${books.length} limits` : differences.slice(0, TOLD).join('; '),
    ...(differences.length > TOLD ? [`${differences.length - TOLD} more differ`] : []),
    ...(gaps === 0 ? [] : [`${gaps} gaps between windows`]),
    ...(unread === 0 ? [] : [`${unread} records could not be read`]),
  ];
  const ok = differences.length === 0 && gaps === 0 && unread === 0;
  return { name: 'the usage ledger says what the buckets say', ok, detail: details.join('; ') };
}

function told({ entity, resource, limit }: Consumed): string {
  return `${limit} of "${entity}" on "${resource}":`;
}

function nameOf({ entity, resource, limit }: Consumed): string {
  return JSON.stringify([entity, resource, limit]);
}
