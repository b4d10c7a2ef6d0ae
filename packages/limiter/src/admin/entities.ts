import { checkKeys, checkName, type EntityControl, type EntityRecord, listPartition } from '@millrace/core';
import type { Amounts } from '../engine/index.js';
import { checkAmounts } from '../engine/request.js';
import { type ActorOptions, type Administration, checkActor, inTurns } from './administration.js';
import { grantTokens, resetBucket } from './bucket-change.js';
import { readControl, writeControl } from './entity-control.js';
import { createEntity } from './entity-create.js';
import { deleteEntity } from './entity-delete.js';
import { readEntities } from './entity-item.js';
import { moveEntity } from './entity-move.js';
import {
  type ControlOptions,
  type CreateEntityOptions,
  checkControl,
  checkCreate,
  checkDelete,
  checkMove,
  type DeleteEntityOptions,
  type MoveEntityOptions,
} from './entity-options.js';
import { childIds, type EntityPage } from './entity-tree.js';
import { checkPage, type PageOptions, readNames } from './named-pages.js';

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

/**
 * The entities of a namespace. Entities need not be created to be limited; they are, to have a parent.
 *
 * Every write leaves an event in the audit log, in the same transaction. This process obeys it at once, others within
 * the time that they believe what they read (`configTtlMs`). Before each transaction the namespace is looked
 * at, for a read; once it was deleted, each write is refused with `NAMESPACE_STATE`.
 */
export class Entities {
  readonly #parts: Administration;

  constructor(parts: Administration) {
    this.#parts = parts;
  }

  /**
   * Creates an entity. Costs one or two reads and one transaction.
   *
   * @throws MillraceError `ENTITY_EXISTS`, or `ENTITY_NOT_FOUND` if there is no such parent
   * @throws ValidationError if it would have more than eight ancestors, or stand below itself
   */
  async create(id: string, options: CreateEntityOptions = {}): Promise<Entity> {
    checkName('entity', id);
    const wanted = { id, ...checkCreate(options), actor: checkActor(this.#parts, options) };
    return this.#run('create an entity', async () =>
      entityView(await inTurns('create an entity', () => createEntity(this.#parts, wanted))),
    );
  }

  /** The entity of that id; undefined if there is none. One read. */
  async get(id: string): Promise<Entity | undefined> {
    checkName('entity', id);
    return this.#run('get an entity', async () => {
      const [entity] = await readEntities(this.#parts, [id]);
      return entity === undefined || entity.deleted ? undefined : entityView(entity);
    });
  }

  /** The ids of all entities that were created, a page at a time. One read for each page. */
  async list(options: PageOptions = {}): Promise<EntityPage> {
    const { pageSize, after } = checkPage(options, 'entity');
    const { items, namespaceId } = this.#parts;
    return this.#run('list entities', async () => {
      const { names, ...rest } = await readNames(items, listPartition(namespaceId, { list: 'entities' }), pageSize, after);
      return { ids: names, ...rest };
    });
  }

  /** The ids of the entities directly below one, a page at a time. One read for each page. */
  async children(parent: string, options: PageOptions = {}): Promise<EntityPage> {
    checkName('parent', parent);
    const { pageSize, after } = checkPage(options, 'entity');
    return this.#run('list children', () => childIds(this.#parts, parent, pageSize, after));
  }

  /**
   * Puts an entity below another parent, or none, or changes whether it cascades; all that stands below it comes along.
   *
   * Costs three reads, two for each entity below it that has children, and one transaction; where more than about eighty
   * stand below it, a transaction for each hundred. If it fails in between, calling it again finishes it, and until then
   * some of those below are still charged as before. Moving an entity to where it stands writes nothing.
   *
   * @throws MillraceError `ENTITY_NOT_FOUND` if there is no such entity or parent
   * @throws ValidationError if it would stand below itself, or any that comes along would have more than eight ancestors
   */
  async move(id: string, options: MoveEntityOptions): Promise<Entity> {
    checkName('entity', id);
    const { parent, cascade } = checkMove(options);
    const actor = checkActor(this.#parts, options);
    return this.#run('move an entity', async () => entityView(await moveEntity(this.#parts, { id, parent, cascade, actor })));
  }

  /**
   * Deletes an entity, with its limits, its control and its buckets. What it has used stays in the ledger. An entity that
   * was never created is deleted likewise, if it has limits or buckets.
   *
   * Costs about five reads and three writes for each entity, and 31 read units more for each of its buckets that was ever
   * spread over several items. If it fails in between, calling it again finishes it.
   *
   * @throws MillraceError `ENTITY_HAS_CHILDREN`, unless they are to be deleted, too; `ENTITY_NOT_FOUND` if there is nothing
   */
  async delete(id: string, options: DeleteEntityOptions = {}): Promise<void> {
    checkName('entity', id);
    const { children = false, onProgress } = checkDelete(options);
    const actor = checkActor(this.#parts, options);
    let deleted = 0;
    const onDeleted = (entity: string): void => {
      deleted += 1;
      onProgress?.({ deleted, entity });
    };
    await this.#run('delete an entity', () => deleteEntity(this.#parts, id, { children, actor, onDeleted }));
  }

  /** How an entity is treated, whatever its limits say. One read. */
  async control(id: string): Promise<EntityControl> {
    checkName('entity', id);
    return this.#run('get the control of an entity', () => readControl(this.#parts, id));
  }

  /** Refuses every acquire on an entity, and on those that cascade to it, with `ENTITY_DISABLED` and the reason. */
  disable(id: string, options: ControlOptions = {}): Promise<void> {
    return this.#setControl(id, 'disabled', options);
  }

  /** Treats an entity as its limits say again: ends what `disable`, `bypass` or `shadow` began. */
  enable(id: string, options: ActorOptions = {}): Promise<void> {
    return this.#setControl(id, 'enforce', options);
  }

  /** Admits every acquire on an entity without counting it. */
  bypass(id: string, options: ControlOptions = {}): Promise<void> {
    return this.#setControl(id, 'bypass', options);
  }

  /** Decides and counts every acquire on an entity, and refuses none. */
  shadow(id: string, options: ControlOptions = {}): Promise<void> {
    return this.#setControl(id, 'shadow', options);
  }

  /**
   * Makes all limits of an entity on a resource full. Usage stays as it was counted; leases that are open still give
   * back what they took. One read and one transaction.
   *
   * @throws ValidationError if the entity has no bucket of that resource
   */
  async reset(id: string, resource: string, options: ActorOptions = {}): Promise<void> {
    const name = this.#bucketName(id, resource, options);
    await this.#run('reset a bucket', () => resetBucket(this.#parts, name));
  }

  /**
   * Gives an entity tokens of a resource now, up to a full bucket. Usage stays as it was counted. One read and one
   * transaction. Returns what was added of each limit: less than was asked where less was missing, and 0 of a full one.
   *
   * @throws ValidationError if the entity has no bucket of that resource, or the bucket no such limit
   */
  async grant(id: string, resource: string, amounts: Amounts, options: ActorOptions = {}): Promise<Amounts> {
    const name = this.#bucketName(id, resource, options);
    const checked = checkAmounts(amounts);
    return this.#run('grant tokens', () => grantTokens(this.#parts, name, checked));
  }

  async #setControl(id: string, mode: EntityControl['mode'], options: ControlOptions): Promise<void> {
    checkName('entity', id);
    const control = checkControl(mode, options);
    const actor = checkActor(this.#parts, options);
    await this.#run('control an entity', () => writeControl(this.#parts, id, control, actor));
  }

  #bucketName(id: string, resource: string, options: ActorOptions) {
    checkKeys('options', options, ['actor']);
    return { entity: checkName('entity', id), resource: checkName('resource', resource), actor: checkActor(this.#parts, options) };
  }

  #run<T>(operation: string, work: () => Promise<T>): Promise<T> {
    return this.#parts.run(operation, work);
  }
}

function entityView({ id, parent, cascade, ancestors, createdAtMs }: EntityRecord): Entity {
  return { id, ...(parent === undefined ? {} : { parent }), cascade, ancestors, createdAt: new Date(createdAtMs) };
}
