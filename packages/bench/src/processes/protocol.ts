import type { ContestantWorld } from '../contestants/contestant.js';

/** Who takes part, by the name that the tables show. */
export const CONTESTANTS = ['bare-sdk', 'rate-limiter-flexible', 'zae-limiter', 'millrace', 'millrace-lean'] as const;
export type ContestantName = (typeof CONTESTANTS)[number];

/** What a client process is told, one JSON object to a line. It answers each with one line, in order. */
export type Order =
  | { readonly op: 'prepare'; readonly contestant: ContestantName; readonly world: ContestantWorld }
  | { readonly op: 'run'; readonly callers: number; readonly durationMs: number }
  | { readonly op: 'dispose' };

/** What a client process answers. */
export type Answer =
  | { readonly kind: 'done' }
  | { readonly kind: 'measured'; readonly measurement: Measurement }
  | { readonly kind: 'failed'; readonly message: string };

/** One run of one contestant. */
export interface Measurement {
  readonly calls: number;
  readonly admitted: number;
  readonly elapsedMs: number;
  /** CPU of the client's process alone, user and system, in microseconds. */
  readonly cpuUs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly requests: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Admissions that came before one that was asked for earlier. */
  readonly inversions: number;
}
