import { type Prices, usdOf } from '../prices.js';
import { MILLION } from '../units.js';

/** A way that an acquire of the peer can take, as its guide prices it by the million, and as it is billed. */
export interface PeerPath {
  readonly path: string;
  /** Units of one acquire, as the guide's table of operations has them. */
  readonly published: { readonly readUnits: number; readonly writeUnits: number; readonly usdPerMillion: number };
  /** Units of one acquire as DynamoDB bills them; absent where the guide is right. */
  readonly billed?: { readonly readUnits: number; readonly writeUnits: number };
  /** Why the published dollars, or units, are not what is billed. */
  readonly correction?: string;
}

/** The peer's prices by the million, each a claim. */
export const PEER_PATHS: readonly PeerPath[] = [
  { path: 'normal', published: { readUnits: 1, writeUnits: 1, usdPerMillion: 0.75 } },
  { path: 'speculative', published: { readUnits: 0, writeUnits: 1, usdPerMillion: 0.625 } },
  {
    path: 'fast rejection',
    published: { readUnits: 0, writeUnits: 0, usdPerMillion: 0 },
    billed: { readUnits: 0, writeUnits: 1 },
    correction: 'a refused condition is billed like the write it refused',
  },
  { path: 'fallback', published: { readUnits: 1, writeUnits: 2, usdPerMillion: 1.375 } },
  {
    path: 'cascade, normal',
    published: { readUnits: 2, writeUnits: 4, usdPerMillion: 1.75 },
    billed: { readUnits: 2, writeUnits: 4 },
    correction: 'four writes and two reads are $2.75; $1.75 is two writes and four reads',
  },
  { path: 'cascade, speculative', published: { readUnits: 0, writeUnits: 2, usdPerMillion: 1.25 } },
  {
    path: 'cascade, fallback',
    published: { readUnits: 0.5, writeUnits: 3, usdPerMillion: 2 },
    billed: { readUnits: 0.5, writeUnits: 3 },
    correction: 'half a read and three writes are $1.9375; $2.00 has a whole read',
  },
  {
    path: 'cascade, rejection',
    published: { readUnits: 0, writeUnits: 2, usdPerMillion: 1.25 },
    billed: { readUnits: 0, writeUnits: 3 },
    correction: "the child's write, the parent's refused one, and the one that gives back: three",
  },
];

/** What a million of a path cost, by its units. */
export function pathUsdPerMillion(
  { readUnits, writeUnits }: { readonly readUnits: number; readonly writeUnits: number },
  prices: Prices,
): number {
  return usdOf({ requests: 0, readUnits: readUnits * MILLION, writeUnits: writeUnits * MILLION }, prices);
}
