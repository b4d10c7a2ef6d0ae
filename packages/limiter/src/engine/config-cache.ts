import type { ConfigEntry } from '@millrace/core';
import { BoundedMap } from './bounded-map.js';

/** An item of the configuration as it was read, also that there is no such item. */
export interface CachedConfig {
  readonly entry: ConfigEntry;
  readonly readAtMs: number;
  /** Before that it is read again ahead of expiry, by whoever comes by; nobody waits for it. */
  readonly refreshAtMs: number;
  /** From then on it is not believed. */
  readonly untilMs: number;
}

/** Where the engine remembers what it has read. It may forget anything at any time. */
export interface ConfigCache {
  readonly size: number;
  get(key: string): CachedConfig | undefined;
  set(key: string, cached: CachedConfig): void;
  delete(key: string): void;
  clear(): void;
  values(): Iterable<CachedConfig>;
}

/** A cache in this process, bounded in entries; what was used longest ago goes first. */
export function memoryConfigCache(maxEntries: number): ConfigCache {
  return new BoundedMap<CachedConfig>(maxEntries);
}

/** What the cache of the configuration has done, and holds. */
export interface ConfigCacheStats {
  /** Items found, and items that had to be read. */
  readonly hits: number;
  readonly misses: number;
  /** Items read again ahead of their expiry, while callers went on with what was there. */
  readonly refreshes: number;
  readonly size: number;
  /** The age of the oldest item; 0 where there is none. */
  readonly ageMs: number;
}
