import { type ConfigRecord, type ConfigRef, type EntityRecord, Limit, type LimitDefinition, newEntity, nextVersion } from '@millrace/core';
import { Engine, type EngineOptions } from '@millrace/limiter/engine';
import { FailingStore, FakeRuntime } from '@millrace/testing';

export const RESOURCE = 'model';

/** A store whose configuration a test writes to as administration would, and engines on it: each one is a process. */
export class ConfigWorld {
  readonly runtime = new FakeRuntime();
  readonly store = new FailingStore();
  readonly #records = new Map<string, ConfigRecord>();
  readonly #entities = new Map<string, EntityRecord>();

  open(options: Partial<EngineOptions> = {}): Engine {
    const { clock, sleep, random } = this.runtime;
    const times = { deadlineMs: 5_000, configTtlMs: 60_000, maxEntries: 1_000 };
    return new Engine({ store: this.store, namespaceId: 'ns', clock, sleep, random, ...times, ...options });
  }

  /** Writes a level. What is left out stays as it was; `limits: undefined` takes the limits away. */
  set(ref: ConfigRef, change: Partial<Omit<ConfigRecord, 'version' | 'updatedAtMs'>>): ConfigRecord {
    const key = JSON.stringify(ref);
    const previous = this.#records.get(key);
    const nowMs = this.runtime.clock.nowMs();
    const merged = { ...previous, ...change, version: nextVersion(previous, nowMs), updatedAtMs: nowMs };
    const gone = (previous?.limits ?? []).map(({ name }) => name).filter((name) => !merged.limits?.some((limit) => limit.name === name));
    const record = { ...merged, retired: [...new Set([...(previous?.retired ?? []), ...gone])] } as ConfigRecord;
    this.#records.set(key, record);
    this.store.setConfig('ns', ref, { record });
    return record;
  }

  /** Creates an entity below another, or places it anew. */
  place(id: string, parent?: string): void {
    const nowMs = this.runtime.clock.nowMs();
    const [above, previous] = [parent === undefined ? undefined : this.#entities.get(parent), this.#entities.get(id)];
    const record = { ...newEntity(id, above, above !== undefined, previous, nowMs), version: nextVersion(previous, nowMs) };
    this.#entities.set(id, record);
    this.store.setConfig('ns', { level: 'lineage', entity: id }, { entity: record });
  }

  /** What is taken of a limit by an entity. */
  net(entity: string, limit: string, shard = 0): number {
    return this.store.net({ namespaceId: 'ns', entity, resource: RESOURCE, shard }, limit);
  }
}

export function rpm(tokens: number, options: Partial<LimitDefinition> = {}): Limit {
  return Limit.of({ name: 'rpm', refill: tokens, periodMs: 60_000, ...options });
}
