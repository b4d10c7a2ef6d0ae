/** The time in milliseconds since the epoch; fractions are welcome. The only source of time that the engine knows. */
export interface Clock {
  nowMs(): number;
}

/** Resolves after so many milliseconds, or, where the runtime can, as soon as the signal says so. */
export type Sleep = (ms: number, signal?: AbortSignalLike) => Promise<void>;

/** A number from 0 up to, not including, 1. */
export type Random = () => number;

/** What the engine needs of an `AbortSignal`; runtimes without one simply never pass it. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
