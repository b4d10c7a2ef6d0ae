import { randomUUID } from 'node:crypto';
import { type EntityChange, type EntityRecord, type EntityStore, newEntity, nextVersion, StoreFailure } from '@millrace/core';
import { expect } from 'vitest';

export const NOW_MS = 1_800_000_000_000;
const TTL_SEC = NOW_MS / 1000 + 86_400;

/** Entities of a namespace that no other test writes to. */
export class ScratchFamily {
  readonly namespaceId: string;
  readonly #store: EntityStore;

  constructor(store: EntityStore, namespaceId: string = randomUUID().slice(0, 12)) {
    this.#store = store;
    this.namespaceId = namespaceId;
  }

  find(id: string): Promise<EntityRecord | undefined> {
    return this.#store.findEntity(this.namespaceId, id, 'fresh');
  }

  /** The record of an entity that is there. */
  async existing(id: string): Promise<EntityRecord> {
    const record = await this.find(id);
    if (record === undefined) throw new Error(`there is no ${id}`);
    return record;
  }

  create(record: EntityRecord, previous?: EntityRecord): Promise<EntityChange> {
    return whenPossible(() => this.#store.createEntity(this.namespaceId, record, previous));
  }

  delete(current: EntityRecord): Promise<EntityChange> {
    return whenPossible(() => this.#store.deleteEntity(this.namespaceId, current, nextVersion(current, NOW_MS), TTL_SEC));
  }

  /** Creates an entity, and expects that it is then there as it was asked for. */
  async created(id: string, parent?: EntityRecord, previous?: EntityRecord): Promise<EntityRecord> {
    const record = newEntity(id, parent, parent !== undefined, previous, NOW_MS);
    expect(await this.create(record, previous)).toBe('done');
    expect(await this.find(id)).toEqual(record);
    return record;
  }

  /** Deletes an entity, and gives its tombstone. */
  async deleted(id: string): Promise<EntityRecord> {
    expect(await this.delete(await this.existing(id))).toBe('done');
    return this.existing(id);
  }

  page(parent: string, pageSize: number, after?: string) {
    return this.#store.listChildren(this.namespaceId, parent, pageSize, after);
  }

  /** All children, read in pages of that size. */
  async children(parent: string, pageSize = 100): Promise<readonly string[]> {
    const ids: string[] = [];
    let after: string | undefined;
    do {
      const page = await this.page(parent, pageSize, after);
      expect(page.ids.length).toBeLessThanOrEqual(pageSize);
      ids.push(...page.ids);
      after = page.next;
    } while (after !== undefined);
    return ids;
  }
}

const PATIENCE = 200;

/** A store may say that it is too busy and has changed nothing, as DynamoDB does of transactions that meet: then again. */
async function whenPossible(change: () => Promise<EntityChange>): Promise<EntityChange> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await change();
    } catch (error) {
      if (attempt === PATIENCE || !(error instanceof StoreFailure) || error.reason !== 'throttled' || error.applied !== 'no') throw error;
    }
  }
}
