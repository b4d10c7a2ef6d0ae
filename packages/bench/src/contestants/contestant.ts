/** What is asked of every contestant, in the words of no one of them. */
export type CaseName = 'distinct' | 'hot' | 'exhausted' | 'cascade' | 'two-limits' | 'available';

/** What a contestant has sent since it was opened. A refused condition counts one write unit: AWS bills it and reports none. */
interface Counts {
  readonly requests: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** Where a contestant keeps its state, and what it will be asked. */
export interface ContestantWorld {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** The name of a table that does not exist yet; the contestant creates it in its own shape. */
  readonly table: string;
  readonly caseName: CaseName;
  /** How many keys there are: 1 in the cases where all callers share one. */
  readonly keys: number;
}

/** A limiter, or what stands for one, ready to be asked. */
export interface Contestant {
  /** Asks for one token of a key, of each of two limits in `two-limits`; whether it was given. In `available` it only looks. */
  take(key: number): Promise<boolean>;
  counts(): Counts;
  close(): Promise<void>;
}

/** The limit that never refuses in the cases that measure admission. */
export const AMPLE = { capacity: 1_000_000, refill: 1_000_000, periodMs: 1_000 } as const;
/** The limit of the exhausted key: its one token is taken before the clock runs. */
export const DRAINED = { capacity: 1, refill: 1, periodMs: 3_600_000 } as const;

export const PARENT = 'project';
export const RESOURCE = 'api';

/** The name of a key. */
export function keyName(key: number): string {
  return `key-${key}`;
}
