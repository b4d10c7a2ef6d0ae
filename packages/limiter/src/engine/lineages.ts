import { type EntityRecord, type EntityStore, type Lineage, lineageOf, NO_LINEAGE } from '@millrace/core';
import { BoundedMap } from './bounded-map.js';
import { type EngineParts, withRetries } from './send.js';

interface Entry {
  readonly lineage: Lineage;
  readonly untilMs: number;
}

/**
 * How long it is believed that an entity does not exist when that is seen for the first time. The read was eventually
 * consistent, so the entity may have been created a moment before; by then the next read shows it.
 */
const FIRST_ABSENCE_MS = 2_000;

export interface LineageOptions {
  readonly ttlMs: number;
  readonly maxEntities: number;
}

/**
 * The lineages of entities, cached for a while, also of those that do not exist. A stale one is never served for long:
 * a bucket refuses a writer whose lineage is older than the newest that it has met.
 */
export class Lineages {
  readonly #parts: EngineParts & { readonly entities: EntityStore };
  readonly #namespaceId: string;
  readonly #options: LineageOptions;
  readonly #entries: BoundedMap<Entry>;
  readonly #loading = new Map<string, Promise<Lineage>>();

  constructor(parts: EngineParts & { readonly entities: EntityStore }, namespaceId: string, options: LineageOptions) {
    this.#parts = parts;
    this.#namespaceId = namespaceId;
    this.#options = options;
    this.#entries = new BoundedMap(options.maxEntities);
  }

  /** The lineage of an entity. Callers that miss at the same time share one read. */
  async get(entity: string, deadlineMs: number): Promise<Lineage> {
    const entry = this.#entries.get(entity);
    if (entry !== undefined && entry.untilMs > this.#parts.clock.nowMs()) return entry.lineage;
    let loading = this.#loading.get(entity);
    if (loading === undefined) {
      loading = this.#load(entity, 'eventual', 0, deadlineMs).finally(() => this.#loading.delete(entity));
      this.#loading.set(entity, loading);
    }
    return loading;
  }

  /**
   * Reads again what turned out to be older than `version`. Where even the table knows nothing so new (the entity is
   * gone, and its tombstone with it), what the table says now holds as of that version.
   */
  async refresh(entity: string, version: number, deadlineMs: number): Promise<Lineage> {
    return this.#load(entity, 'fresh', version, deadlineMs);
  }

  /** Takes up what this process itself has stored. */
  note(record: EntityRecord): void {
    this.#keep(record.id, lineageOf(record));
  }

  async #load(entity: string, consistency: 'fresh' | 'eventual', atLeast: number, deadlineMs: number): Promise<Lineage> {
    const record = await withRetries(this.#parts, deadlineMs, 'unknown', () =>
      this.#parts.entities.findEntity(this.#namespaceId, entity, consistency),
    );
    const found = lineageOf(record);
    return this.#keep(entity, found.version >= atLeast ? found : { ...found, version: atLeast });
  }

  /** Keeps a lineage, unless a newer one is known: replies overtake one another. Returns the newer of the two. */
  #keep(entity: string, lineage: Lineage): Lineage {
    const known = this.#entries.get(entity)?.lineage;
    const newest = known !== undefined && known.version > lineage.version ? known : lineage;
    const isFirstAbsence = newest === NO_LINEAGE && known === undefined;
    const ttlMs = isFirstAbsence ? Math.min(FIRST_ABSENCE_MS, this.#options.ttlMs) : this.#options.ttlMs;
    this.#entries.set(entity, { lineage: newest, untilMs: this.#parts.clock.nowMs() + ttlMs });
    return newest;
  }
}
