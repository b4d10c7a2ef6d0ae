import {
  checkInteger,
  checkKeys,
  checkName,
  type EntityRecord,
  type EntityStore,
  MillraceError,
  newEntity,
  nextVersion,
  StoreFailure,
  ValidationError,
} from '@millrace/core';
import { type Engine, publicError, type RetryParts, withRetries } from './engine/index.js';

/** An entity, as callers see it. */
export interface Entity {
  readonly id: string;
  readonly parent?: string;
  /** Whether an acquire on this entity also takes from its parent (and so on, as long as each cascades). */
  readonly cascade: boolean;
  /** All ancestors, nearest first. */
  readonly ancestors: readonly string[];
  readonly createdAt: Date;
}

/** What a new entity may be told. */
export interface CreateEntityOptions {
  /** An existing entity to stand below. @default none */
  readonly parent?: string;
  /** Whether an acquire on the new entity also takes from its parent. @default false */
  readonly cascade?: boolean;
}

/** How a listing of children may be cut. */
export interface ListChildrenOptions {
  /** How many a page may hold, from 1 to 1,000. @default 100 */
  readonly pageSize?: number;
  /** The `next` of the page before. */
  readonly after?: string;
}

const MAX_CONFLICTS = 5;
const TOMBSTONE_SEC = 30 * 86_400;

/** The entities of a namespace. Entities need not be created to be limited; they are, to have a parent. */
export class Entities {
  readonly #engine: Engine;
  readonly #store: EntityStore;
  readonly #namespaceId: string;
  readonly #retry: <T>(request: () => Promise<T>) => Promise<T>;

  constructor(engine: Engine, store: EntityStore, namespaceId: string, runtime: Pick<RetryParts, 'sleep' | 'random'>, deadlineMs: number) {
    this.#engine = engine;
    this.#store = store;
    this.#namespaceId = namespaceId;
    const parts = { ...runtime, clock: engine.clock, stats: engine.stats };
    this.#retry = (request) => withRetries(parts, engine.clock.nowMs() + deadlineMs, 'no', request);
  }

  /**
   * Creates an entity. Costs two or three reads and one transaction.
   *
   * @throws MillraceError `ENTITY_EXISTS`, or `ENTITY_NOT_FOUND` if there is no such parent
   * @throws ValidationError if it would have more than eight ancestors, or stand below itself
   */
  async create(id: string, options: CreateEntityOptions = {}): Promise<Entity> {
    checkKeys('options', options, ['parent', 'cascade']);
    checkName('entity', id);
    const { parent: parentId, cascade = false } = options;
    if (typeof cascade !== 'boolean') throw new ValidationError('option "cascade"', 'true or false', cascade);
    if (parentId !== undefined) checkName('parent', parentId);
    if (cascade && parentId === undefined) throw new ValidationError('option "cascade"', 'false for an entity without a parent', cascade);

    return this.#inTurns('create an entity', async () => {
      const [previous, parent] = await Promise.all([this.#find(id), parentId === undefined ? undefined : this.#existing(parentId)]);
      if (previous !== undefined && !previous.deleted)
        throw new MillraceError('ENTITY_EXISTS', `entity "${id}" exists; delete it first to create it anew`);
      const entity = newEntity(id, parent, cascade, previous, this.#engine.clock.nowMs());
      const change = await this.#retry(() => this.#store.createEntity(this.#namespaceId, entity, previous));
      if (change === 'done') this.#engine.lineages.note(entity);
      return change === 'done' ? entityView(entity) : undefined;
    });
  }

  /** The entity of that id; undefined if there is none. One read. */
  async get(id: string): Promise<Entity | undefined> {
    this.#engine.checkOpen('get an entity');
    checkName('entity', id);
    const record = await this.#guarded(() => this.#find(id));
    return record === undefined || record.deleted ? undefined : entityView(record);
  }

  /**
   * Deletes an entity that has no children. Its buckets stay until they expire.
   *
   * @throws MillraceError `ENTITY_NOT_FOUND`, or `ENTITY_HAS_CHILDREN`
   */
  async delete(id: string): Promise<void> {
    checkName('entity', id);
    await this.#inTurns('delete an entity', async () => {
      const current = await this.#existing(id);
      if (current.childCount > 0)
        throw new MillraceError('ENTITY_HAS_CHILDREN', `entity "${id}" has ${current.childCount} children; delete them first`);
      const nowMs = this.#engine.clock.nowMs();
      const [version, ttlSec] = [nextVersion(current, nowMs), Math.ceil(nowMs / 1000) + TOMBSTONE_SEC];
      const change = await this.#retry(() => this.#store.deleteEntity(this.#namespaceId, current, version, ttlSec));
      if (change === 'done') this.#engine.lineages.note({ ...current, version, deleted: true });
      return change === 'done' ? true : undefined;
    });
  }

  /** The ids of the entities directly below one, a page at a time. One read for each page. */
  async children(parent: string, options: ListChildrenOptions = {}): Promise<{ readonly ids: readonly string[]; readonly next?: string }> {
    this.#engine.checkOpen('list children');
    checkKeys('options', options, ['pageSize', 'after']);
    checkName('parent', parent);
    const pageSize = checkInteger('option "pageSize"', options.pageSize ?? 100, 1, 1_000);
    if (options.after !== undefined) checkName('entity', options.after);
    return this.#guarded(() => this.#store.listChildren(this.#namespaceId, parent, pageSize, options.after));
  }

  /** Reads, decides and stores; again from the start when another writer came in between. */
  async #inTurns<T>(operation: string, turn: () => Promise<T | undefined>): Promise<T> {
    this.#engine.checkOpen(operation);
    return this.#engine.track(
      this.#guarded(async () => {
        for (let turns = 0; turns < MAX_CONFLICTS; turns += 1) {
          const result = await turn();
          if (result !== undefined) return result;
        }
        throw new StoreFailure('throttled', 'no', `cannot ${operation}: others changed it ${MAX_CONFLICTS} times in a row`);
      }),
    );
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw publicError(error);
    }
  }

  #find(id: string): Promise<EntityRecord | undefined> {
    return this.#retry(() => this.#store.findEntity(this.#namespaceId, id, 'fresh'));
  }

  async #existing(id: string): Promise<EntityRecord> {
    const record = await this.#find(id);
    if (record === undefined || record.deleted) throw new MillraceError('ENTITY_NOT_FOUND', `there is no entity "${id}"; create it first`);
    return record;
  }
}

function entityView({ id, parent, cascade, ancestors, createdAtMs }: EntityRecord): Entity {
  return { id, ...(parent === undefined ? {} : { parent }), cascade, ancestors, createdAt: new Date(createdAtMs) };
}
