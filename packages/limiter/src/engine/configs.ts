import { type ConfigEntry, type ConfigRef, type ConfigStore, configName, type UnavailablePolicy } from '@millrace/core';
import { BoundedMap } from './bounded-map.js';
import type { ConfigCache, ConfigCacheStats } from './config-cache.js';
import { type RetryParts, withRetries } from './send.js';

export interface ConfigsOptions {
  readonly cache: ConfigCache;
  /** How long an item is believed; 0 reads it each time. */
  readonly ttlMs: number;
}

/**
 * How long it is believed that an entity was never created when that is seen for the first time. The read was
 * eventually consistent, so the entity may have been created a moment before; by then the next read shows it.
 */
const FIRST_ABSENCE_MS = 2_000;
/** An item is read again once so much of its life is over, each at a moment of its own. */
const REFRESH_FROM = 0.75;
const REFRESH_SPREAD = 0.2;
/** Of how many items it is remembered that this process has changed them and not read them since. */
const MAX_CHANGED = 10_000;
/** Of how many namespaces it is remembered what they want when the store cannot be reached. */
const MAX_NAMESPACES = 10_000;

/**
 * The items of the configuration, as this process knows them. Callers that miss at the same time share one request;
 * what is about to expire is read again while callers go on with what is there.
 */
export class Configs {
  readonly #parts: RetryParts & { readonly configs: ConfigStore };
  readonly #options: ConfigsOptions;
  readonly #loading = new Map<string, Promise<ConfigEntry>>();
  readonly #policies = new BoundedMap<{ readonly policy: UnavailablePolicy | undefined }>(MAX_NAMESPACES);
  readonly #changed = new BoundedMap<true>(MAX_CHANGED);
  readonly #background = new Set<Promise<unknown>>();
  #changes = 0;
  #hits = 0;
  #misses = 0;
  #refreshes = 0;

  constructor(parts: RetryParts & { readonly configs: ConfigStore }, options: ConfigsOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /** The items asked for, in their order: from memory, or read in one request together. */
  async get(namespaceId: string, refs: readonly ConfigRef[], deadlineMs: number): Promise<readonly ConfigEntry[]> {
    const nowMs = this.#parts.clock.nowMs();
    const entries: (ConfigEntry | Promise<ConfigEntry>)[] = [];
    const [missing, ageing]: [number[], ConfigRef[]] = [[], []];
    for (const [index, ref] of refs.entries()) {
      const key = configName(namespaceId, ref);
      const cached = this.#options.cache.get(key);
      if (cached !== undefined && cached.untilMs > nowMs) {
        this.#hits += 1;
        entries.push(cached.entry);
        if (cached.refreshAtMs <= nowMs && !this.#loading.has(key)) ageing.push(ref);
        continue;
      }
      this.#misses += 1;
      const loading = this.#loading.get(key);
      if (loading === undefined) missing.push(index);
      entries.push(loading ?? {});
    }
    if (ageing.length > 0) this.#refreshAhead(namespaceId, ageing);
    if (missing.length > 0) {
      const wanted = missing.flatMap((index) => refs[index] ?? []);
      // What this process itself has changed it must see at once; an older reading might come back otherwise.
      const wasChanged = wanted.some((ref) => this.#changed.get(configName(namespaceId, ref)) === true);
      const loaded = this.#load(namespaceId, wanted, wasChanged ? 'fresh' : 'eventual', deadlineMs);
      for (const [position, index] of missing.entries()) entries[index] = loaded[position] ?? {};
    }
    return Promise.all(entries);
  }

  /**
   * Until when items that were just got may be believed together without asking here again, as long as `changes` stays what
   * it is; undefined where one of them is not remembered.
   */
  believedUntilMs(namespaceId: string, refs: readonly ConfigRef[]): number | undefined {
    let untilMs = Number.POSITIVE_INFINITY;
    for (const ref of refs) {
      const cached = this.#options.cache.get(configName(namespaceId, ref));
      if (cached === undefined) return undefined;
      untilMs = Math.min(untilMs, cached.refreshAtMs);
    }
    return untilMs;
  }

  /** Counts whenever something that was remembered turned out to be otherwise, or was forgotten. */
  get changes(): number {
    return this.#changes;
  }

  /** Counts items that were believed without asking here. */
  noteHits(count: number): void {
    this.#hits += count;
  }

  /** Reads items as of now, whatever is remembered, and remembers them. */
  refresh(namespaceId: string, refs: readonly ConfigRef[], deadlineMs: number): Promise<readonly ConfigEntry[]> {
    return Promise.all(this.#load(namespaceId, refs, 'fresh', deadlineMs));
  }

  /** What the namespace was last seen to want when the store cannot be reached. It holds as long as nobody knows better. */
  lastPolicy(namespaceId: string): UnavailablePolicy | undefined {
    return this.#policies.get(namespaceId)?.policy;
  }

  /** Forgets items, because this process has changed them; the next reading of them sees the change. */
  forget(namespaceId: string, refs: readonly ConfigRef[]): void {
    this.#changes += 1;
    for (const ref of refs) {
      const key = configName(namespaceId, ref);
      this.#options.cache.delete(key);
      // What is being read now may be from before the change: nobody who comes from now on may share it.
      this.#loading.delete(key);
      this.#changed.set(key, true);
    }
  }

  /** Forgets everything. */
  clear(): void {
    this.#changes += 1;
    this.#options.cache.clear();
    this.#loading.clear();
  }

  stats(): ConfigCacheStats {
    const nowMs = this.#parts.clock.nowMs();
    let ageMs = 0;
    for (const { readAtMs } of this.#options.cache.values()) ageMs = Math.max(ageMs, nowMs - readAtMs);
    return { hits: this.#hits, misses: this.#misses, refreshes: this.#refreshes, size: this.#options.cache.size, ageMs };
  }

  /** Ends when no reading ahead is running. */
  async idle(): Promise<void> {
    while (this.#background.size > 0) await Promise.allSettled(this.#background);
  }

  #refreshAhead(namespaceId: string, refs: readonly ConfigRef[]): void {
    this.#refreshes += refs.length;
    const deadlineMs = this.#parts.clock.nowMs() + this.#options.ttlMs;
    // If it fails, what is there is used until it expires, and then a caller reads, and hears of the failure.
    const ended = Promise.allSettled(this.#load(namespaceId, refs, 'eventual', deadlineMs)).finally(() => this.#background.delete(ended));
    this.#background.add(ended);
  }

  /** Starts one request for several items, and gives a promise for each, so that others can wait for theirs alone. */
  #load(namespaceId: string, refs: readonly ConfigRef[], consistency: 'fresh' | 'eventual', deadlineMs: number): Promise<ConfigEntry>[] {
    const reading = withRetries(this.#parts, deadlineMs, 'unknown', () => this.#parts.configs.readConfig(namespaceId, refs, consistency));
    return refs.map((ref, index) => {
      const key = configName(namespaceId, ref);
      const loading: Promise<ConfigEntry> = reading
        .then((entries) => {
          const entry = entries[index] ?? {};
          // Forgotten meanwhile: the caller that asked gets what was read, but nobody else.
          return this.#loading.get(key) === loading ? this.#keep(namespaceId, key, ref, entry) : entry;
        })
        .finally(() => {
          if (this.#loading.get(key) === loading) this.#loading.delete(key);
        });
      this.#loading.set(key, loading);
      // Whoever waits for it hears of a failure; nobody may.
      loading.catch(() => undefined);
      return loading;
    });
  }

  /** Keeps an item, unless a newer one is known: replies overtake one another. Returns the newer of the two. */
  #keep(namespaceId: string, key: string, ref: ConfigRef, read: ConfigEntry): ConfigEntry {
    const nowMs = this.#parts.clock.nowMs();
    const known = this.#options.cache.get(key);
    this.#changed.delete(key);
    if (known !== undefined && known.untilMs > nowMs && versionOf(known.entry) > versionOf(read)) {
      // It keeps its time: an item that is gone altogether, its tombstone included, is believed no longer than any other.
      this.#options.cache.set(key, { ...known, refreshAtMs: known.untilMs });
      return known.entry;
    }
    if (known !== undefined && versionOf(known.entry) !== versionOf(read)) this.#changes += 1;
    const isFirstAbsence = ref.level === 'lineage' && read.entity === undefined && known === undefined;
    const ttlMs = isFirstAbsence ? Math.min(FIRST_ABSENCE_MS, this.#options.ttlMs) : this.#options.ttlMs;
    const refreshShare = isFirstAbsence ? 1 : REFRESH_FROM + REFRESH_SPREAD * this.#parts.random();
    this.#options.cache.set(key, { entry: read, readAtMs: nowMs, refreshAtMs: nowMs + ttlMs * refreshShare, untilMs: nowMs + ttlMs });
    if (ref.level === 'system') this.#policies.set(namespaceId, { policy: read.record?.onUnavailable });
    return read;
  }
}

function versionOf(entry: ConfigEntry): number {
  return entry.record?.version ?? entry.entity?.version ?? 0;
}
