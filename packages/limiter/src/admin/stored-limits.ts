import {
  type ConfigLevel,
  checkKeys,
  checkLimits,
  checkName,
  configKey,
  type Limit,
  type LimitDefinition,
  listPartition,
  type UnavailablePolicy,
} from '@millrace/core';
import { type ActorOptions, type Administration, checkActor, inTurns } from './administration.js';
import { type ApplyLevelsOptions, type ApplyLevelsResult, applyLevels, checkManifestName, checkOnUnavailable } from './apply-levels.js';
import { type EntityLevelPage, readEntityLevels } from './entity-levels.js';
import { changeWrites, type LevelChange } from './level-change.js';
import { configOfItem } from './level-item.js';
import { checkLevel, levelName } from './level-name.js';
import { checkPage, type NamePage, type PageOptions, readNames } from './named-pages.js';
import { type StoredLevel, storedLevel } from './stored-level.js';

/** Limits as a caller may write them. */
export type LimitsInput = readonly (Limit | LimitDefinition)[];

/**
 * The limits that are stored in the table. The first level of an entity that has limits wins whole: its own for the
 * resource, its default, the resource's, the system's. Entities and resources need not be created to have limits.
 *
 * A write is one transaction of the level, its entry in a list and its event, after a look at whether the namespace is open;
 * it costs two reads and about ten write units. Setting what is there already, or deleting what is not, writes nothing.
 * Running services obey within the time that they believe what they read (`configTtlMs`), this process at once. Every write
 * to a namespace that was deleted meanwhile is refused with `NAMESPACE_STATE`.
 */
export class StoredLimits {
  readonly #parts: Administration;

  constructor(parts: Administration) {
    this.#parts = parts;
  }

  /** Stores the limits of a level in place of those it has. @throws ValidationError for a bad level, name or limit; nothing is sent */
  async set(level: ConfigLevel, limits: LimitsInput, options: ActorOptions = {}): Promise<void> {
    const checked = checkLevel(level);
    await this.#change({ level: checked, limits: checkLimits(`limits of ${levelName(checked)}`, limits) }, options, 'set limits');
  }

  /** The limits that a level itself has; undefined where it has none. One read. */
  async get(level: ConfigLevel): Promise<StoredLevel | undefined> {
    const checked = checkLevel(level);
    return this.#parts.run('get limits', async () => {
      const [item] = await this.#parts.items.get([configKey(this.#parts.namespaceId, checked)]);
      return storedLevel(configOfItem(item));
    });
  }

  /** Takes the limits of a level away, so that the next level holds. False if it had none; then nothing is written. */
  async delete(level: ConfigLevel, options: ActorOptions = {}): Promise<boolean> {
    return this.#change({ level: checkLevel(level), limits: null }, options, 'delete limits');
  }

  setSystem(limits: LimitsInput, options?: ActorOptions): Promise<void> {
    return this.set({ level: 'system' }, limits, options);
  }

  setResource(resource: string, limits: LimitsInput, options?: ActorOptions): Promise<void> {
    return this.set({ level: 'resource', resource }, limits, options);
  }

  /** Limits of an entity on every resource for which it has none of its own. */
  setEntityDefault(entity: string, limits: LimitsInput, options?: ActorOptions): Promise<void> {
    return this.set({ level: 'entity-default', entity }, limits, options);
  }

  setEntity(entity: string, resource: string, limits: LimitsInput, options?: ActorOptions): Promise<void> {
    return this.set({ level: 'entity', entity, resource }, limits, options);
  }

  getSystem(): Promise<StoredLevel | undefined> {
    return this.get({ level: 'system' });
  }

  getResource(resource: string): Promise<StoredLevel | undefined> {
    return this.get({ level: 'resource', resource });
  }

  getEntityDefault(entity: string): Promise<StoredLevel | undefined> {
    return this.get({ level: 'entity-default', entity });
  }

  getEntity(entity: string, resource: string): Promise<StoredLevel | undefined> {
    return this.get({ level: 'entity', entity, resource });
  }

  deleteSystem(options?: ActorOptions): Promise<boolean> {
    return this.delete({ level: 'system' }, options);
  }

  deleteResource(resource: string, options?: ActorOptions): Promise<boolean> {
    return this.delete({ level: 'resource', resource }, options);
  }

  deleteEntityDefault(entity: string, options?: ActorOptions): Promise<boolean> {
    return this.delete({ level: 'entity-default', entity }, options);
  }

  deleteEntity(entity: string, resource: string, options?: ActorOptions): Promise<boolean> {
    return this.delete({ level: 'entity', entity, resource }, options);
  }

  /** The resources that have limits of their own, a page at a time. One read for each page. */
  async listResources(options: PageOptions = {}): Promise<NamePage> {
    const { pageSize, after } = checkPage(options, 'resource');
    const { items, namespaceId, run } = this.#parts;
    return run('list resources', () => readNames(items, listPartition(namespaceId, { list: 'resources' }), pageSize, after));
  }

  /** The entities that have limits of their own for a resource, a page at a time. One read for each page. */
  async listEntities(resource: string, options: PageOptions = {}): Promise<NamePage> {
    checkName('resource', resource);
    const { pageSize, after } = checkPage(options, 'entity');
    const { items, namespaceId, run } = this.#parts;
    const partition = listPartition(namespaceId, { list: 'entities-with-limits', resource });
    return run('list entities', () => readNames(items, partition, pageSize, after));
  }

  /** The limits of an entity's own, its default first, then by resource; a page at a time. */
  async listOfEntity(entity: string, options: PageOptions = {}): Promise<EntityLevelPage> {
    checkName('entity', entity);
    const { pageSize, after } = checkPage(options, 'resource');
    return this.#parts.run('list the limits of an entity', () => readEntityLevels(this.#parts, entity, pageSize, after));
  }

  /**
   * Stores what calls shall do when DynamoDB cannot be reached, unless they say otherwise themselves; undefined goes
   * back to `block`. The system's limits are not touched.
   */
  async setOnUnavailable(policy: UnavailablePolicy | undefined, options: ActorOptions = {}): Promise<void> {
    const onUnavailable = policy ?? null;
    checkOnUnavailable(onUnavailable);
    await this.#change({ level: { level: 'system' }, onUnavailable }, options, 'set what happens when the store is unavailable');
  }

  /** What is stored for calls when DynamoDB cannot be reached; undefined where nothing is. One read. */
  async getOnUnavailable(): Promise<UnavailablePolicy | undefined> {
    return this.#parts.run('get what happens when the store is unavailable', async () => {
      const [item] = await this.#parts.items.get([configKey(this.#parts.namespaceId, { level: 'system' })]);
      return configOfItem(item)?.onUnavailable;
    });
  }

  /**
   * Writes many changes on behalf of a manifest and marks what it sets as made by it. The library `@millrace/limits`
   * decides what to change; this is for tools of that kind.
   */
  async apply(changes: readonly LevelChange[], options: Partial<ApplyLevelsOptions> & { manifest: string }): Promise<ApplyLevelsResult> {
    checkKeys('options', options, ['actor', 'manifest', 'guard', 'onProgress']);
    const { actor: name, ...rest } = options;
    const actor = checkActor(this.#parts, name === undefined ? {} : { actor: name });
    const manifest = checkManifestName(options.manifest);
    return this.#parts.run('apply limits', () => applyLevels(this.#parts, changes, { ...rest, actor, manifest }));
  }

  /** One change of one level; false if it was like that already. */
  async #change(change: LevelChange, options: ActorOptions, operation: string): Promise<boolean> {
    checkKeys('options', options, ['actor']);
    const actor = checkActor(this.#parts, options);
    const { items, namespaceId, newEventId, nowMs, onChange, run } = this.#parts;
    const turn = async (): Promise<boolean | undefined> => {
      const [item] = await items.get([configKey(namespaceId, change.level)]);
      const writes = changeWrites(change, item, { namespaceId, newEventId, nowMs: nowMs(), actor, manifest: undefined });
      if (writes.length === 0) return false;
      // Also when it failed: the write may have happened, and only its answer was lost.
      const outcome = await items.transact(writes).finally(() => onChange([change.level]));
      return outcome === 'done' ? true : undefined;
    };
    return run(operation, () => inTurns(operation, turn));
  }
}
