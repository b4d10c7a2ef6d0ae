import {
  ATTRIBUTE,
  checkInteger,
  checkKeys,
  checkName,
  configKey,
  type NamespaceState,
  namespaceKey,
  REGISTRY_PARTITION,
  SCHEMA_VERSION,
} from '@millrace/core';
import { checkZone, DEFAULT_ZONE } from '@millrace/ledger';
import { type ActorOptions, type Administration, checkActor, inTurns } from './administration.js';
import { type AuditAction, auditWrites } from './audit-event.js';
import type { Item, ItemWrite } from './item-table.js';
import { levelWrite } from './level-item.js';
import { checkPage, type PageOptions } from './named-pages.js';
import {
  describeNamespace,
  type NamespaceDescription,
  namespaceAsRead,
  namespaceItem,
  namespaceOf,
  newNamespaceId,
  noNamespace,
  stateError,
  TABLE_NAMESPACE_ID,
} from './namespace-record.js';
import { checkSameZone, zoneItem } from './namespace-zone.js';
import { checkProgress, type PurgeOptions, type PurgeResult, purgeItems, tombstoneWrite } from './purge.js';
import { readSchema, schemaWrite } from './schema-record.js';

/** How a namespace is made. */
export interface RegisterOptions extends ActorOptions {
  /** The IANA zone in which the days, weeks and months of its usage begin. It can never be changed. @default 'UTC' */
  readonly zone?: string;
}

/** A page of the registry. */
export interface NamespacePage {
  readonly namespaces: readonly NamespaceDescription[];
  /** Hand it in as `after` to go on; absent on the last page. */
  readonly next?: string;
}

const SYSTEM = { level: 'system' } as const;

/** An entry as it was read, and what it means. */
interface Entry {
  readonly item: Item;
  readonly record: ReturnType<typeof namespaceOf>;
}

/**
 * The namespaces of the table. One goes from active to deleted, from there back or on to purging, and then is gone; each
 * step is one transaction with its event. A deleted one keeps its name and all that it holds until it is purged.
 */
export class Namespaces {
  readonly #parts: Administration;

  constructor(parts: Administration) {
    this.#parts = parts;
  }

  /**
   * Makes a namespace, or describes the active one of that name. Two reads and one transaction; the first of a table
   * also records the schema that the table is in, after a read more.
   *
   * @throws MillraceError `NAMESPACE_STATE` if one of that name is deleted or being purged, or has another zone
   */
  async register(name: string, options: RegisterOptions = {}): Promise<NamespaceDescription> {
    checkKeys('options', options, ['actor', 'zone']);
    const { zone: wanted, ...rest } = options;
    const { actor } = checkCall(this.#parts, name, rest);
    // What is not written is UTC.
    const ownZone = wanted === undefined || checkZone(wanted) === DEFAULT_ZONE ? {} : { zone: wanted };
    return this.#inTurns('register a namespace', async () => {
      const found = await this.#find(name);
      if (found !== undefined) {
        if (found.record.state !== 'active') throw stateError('register it', found.record);
        checkSameZone(found.record, wanted);
        return describeNamespace(found.record);
      }
      const record = { name, id: newNamespaceId(), state: 'active', createdAtMs: Math.floor(this.#parts.nowMs()), ...ownZone } as const;
      const schema = await this.#schemaOfNew(actor);
      const outcome = await this.#parts.items.transact([
        { kind: 'put', item: namespaceItem(record), when: [{ attribute: ATTRIBUTE.partitionKey, is: 'absent' }] },
        ...(ownZone.zone === undefined ? [] : [{ kind: 'put', item: zoneItem(record.id, ownZone.zone) } as const]),
        ...schema,
        ...this.#event('namespace.register', name, actor, undefined, { id: record.id, state: record.state, ...ownZone }),
      ]);
      return outcome === 'done' ? describeNamespace(record) : undefined;
    });
  }

  /** Namespaces of every state, in the order of their names' keys, a page at a time. One read for each page. */
  async list(options: PageOptions = {}): Promise<NamespacePage> {
    const { pageSize, after } = checkPage(options, 'namespace');
    return this.#parts.run('list namespaces', async () => {
      const behind = after === undefined ? {} : { after: namespaceKey(after).sort };
      const page = await this.#parts.items.query({ partition: REGISTRY_PARTITION, pageSize, ...behind });
      const records = page.items.map(namespaceOf);
      const last = records.at(-1);
      const namespaces = records.map(describeNamespace);
      return page.next === undefined || last === undefined ? { namespaces } : { namespaces, next: last.name };
    });
  }

  /** The namespace of that name, whatever its state; undefined if there is none. One read. */
  async describe(name: string): Promise<NamespaceDescription | undefined> {
    checkName('namespace', name);
    return this.#parts.run('describe a namespace', async () => {
      const found = await this.#find(name);
      return found === undefined ? undefined : describeNamespace(found.record);
    });
  }

  /**
   * Closes a namespace: it cannot be opened any more, and limiters that have it open refuse with `NAMESPACE_STATE` once
   * they read its configuration again, and writes of administration at once. All that it holds stays. Deleting a deleted one
   * changes nothing.
   *
   * @throws MillraceError `NAMESPACE_NOT_FOUND`, or `NAMESPACE_STATE` if it is being purged
   */
  async delete(name: string, options: ActorOptions = {}): Promise<NamespaceDescription> {
    return this.#move(name, options, { operation: 'delete', from: 'active', to: 'deleted' });
  }

  /**
   * Opens a deleted namespace again, as it was. Recovering an active one changes nothing.
   *
   * @throws MillraceError `NAMESPACE_NOT_FOUND`, or `NAMESPACE_STATE` if it is being purged
   */
  async recover(name: string, options: ActorOptions = {}): Promise<NamespaceDescription> {
    return this.#move(name, options, { operation: 'recover', from: 'deleted', to: 'active' });
  }

  /**
   * Deletes all that a deleted namespace holds, and then its entry: the name is free. It cannot be undone once it has
   * begun. If it ends early, call it again; it goes on with what is left.
   *
   * It reads the whole table at least twice, a page at a time, since no index could say for certain what is left: see
   * ADR 0010. One item stays, without anything of what was there: it tells limiters that still have the namespace open that
   * it is closed.
   *
   * @throws MillraceError `NAMESPACE_NOT_FOUND`, or `NAMESPACE_STATE` if it is active
   */
  async purge(name: string, options: PurgeOptions = {}): Promise<PurgeResult> {
    checkKeys('options', options, ['actor', 'batchSize', 'onProgress']);
    const { batchSize = 100, onProgress, ...rest } = options;
    const { actor } = checkCall(this.#parts, name, rest);
    checkInteger('option "batchSize"', batchSize, 1, 1_000);
    checkProgress(onProgress);
    return this.#parts.run('purge a namespace', async () => {
      const { id } = await inTurns('purge a namespace', () => this.#beginPurge(name, actor));
      const deleted = await purgeItems(this.#parts.items, id, batchSize, onProgress);
      await inTurns('end the purge of a namespace', () => this.#endPurge(name, id, actor, deleted));
      return { deleted };
    });
  }

  async #beginPurge(name: string, actor: string | undefined): Promise<{ readonly id: string } | undefined> {
    const { item, record } = await this.#existing(name);
    if (record.state === 'active') throw stateError('purge it', record);
    if (record.state === 'purging') return record;
    const outcome = await this.#parts.items.transact([
      { kind: 'update', key: namespaceKey(name), set: { [ATTRIBUTE.state]: 'purging' }, when: namespaceAsRead(item) },
      ...this.#event('namespace.purge', name, actor, { id: record.id, state: 'deleted' }, { id: record.id, state: 'purging' }),
    ]);
    return outcome === 'done' ? record : undefined;
  }

  /** Takes the entry away, and leaves the system level's item as a closed one. */
  async #endPurge(name: string, id: string, actor: string | undefined, deleted: number): Promise<true | undefined> {
    const found = await this.#find(name);
    // Another purge of the same namespace has ended it.
    if (found === undefined || found.record.id !== id) return true;
    const [system] = await this.#parts.items.get([configKey(id, SYSTEM)]);
    const outcome = await this.#parts.items.transact([
      { kind: 'delete', key: namespaceKey(name), when: namespaceAsRead(found.item) },
      tombstoneWrite(id, system, this.#parts.nowMs()),
      ...this.#event('namespace.purge', name, actor, { id, state: 'purging' }, { deleted }),
    ]);
    if (outcome === 'conflict') return undefined;
    this.#tell(id);
    return true;
  }

  async #move(
    name: string,
    options: ActorOptions,
    { operation, from, to }: { readonly operation: 'delete' | 'recover'; readonly from: NamespaceState; readonly to: NamespaceState },
  ): Promise<NamespaceDescription> {
    const { actor } = checkCall(this.#parts, name, options);
    return this.#inTurns(`${operation} a namespace`, async () => {
      const { item, record } = await this.#existing(name);
      if (record.state === to) return describeNamespace(record);
      if (record.state !== from) throw stateError(`${operation} it`, record);
      const [system] = await this.#parts.items.get([configKey(record.id, SYSTEM)]);
      const nowMs = Math.floor(this.#parts.nowMs());
      const isDelete = operation === 'delete';
      const outcome = await this.#parts.items.transact([
        {
          kind: 'update',
          key: namespaceKey(name),
          set: { [ATTRIBUTE.state]: to, ...(isDelete ? { [ATTRIBUTE.deletedAtMs]: nowMs } : {}) },
          ...(isDelete ? {} : { remove: [ATTRIBUTE.deletedAtMs] }),
          when: namespaceAsRead(item),
        },
        levelWrite(record.id, SYSTEM, system, { [ATTRIBUTE.closed]: isDelete ? true : undefined }, nowMs),
        ...this.#event(`namespace.${operation}`, name, actor, { id: record.id, state: from }, { id: record.id, state: to }),
      ]);
      if (outcome === 'conflict') return undefined;
      this.#tell(record.id);
      const { deletedAtMs: _, ...rest } = record;
      return describeNamespace({ ...rest, state: to, ...(isDelete ? { deletedAtMs: nowMs } : {}) });
    });
  }

  /**
   * The record of the schema, for a table that has neither one nor a namespace: all that is in it will be written by this release. One
   * that has namespaces and no record is older than records; migrating it is a step that somebody decides on.
   */
  async #schemaOfNew(actor: string | undefined): Promise<readonly ItemWrite[]> {
    const { items, newEventId } = this.#parts;
    if ((await readSchema(items)) !== undefined) return [];
    const { items: others } = await items.query({ partition: REGISTRY_PARTITION, pageSize: 1 });
    if (others.length > 0) return [];
    const nowMs = this.#parts.nowMs();
    const by = actor === undefined ? {} : { actor };
    const event = { id: newEventId(), action: 'schema.migrate', subject: 'schema', ...by, after: { version: SCHEMA_VERSION } } as const;
    return [schemaWrite(undefined, SCHEMA_VERSION, nowMs, actor), ...auditWrites(TABLE_NAMESPACE_ID, event, nowMs)];
  }

  #inTurns<T>(operation: string, turn: () => Promise<T | undefined>): Promise<T> {
    return this.#parts.run(operation, () => inTurns(operation, turn));
  }

  async #find(name: string): Promise<Entry | undefined> {
    const [item] = await this.#parts.items.get([namespaceKey(name)]);
    return item === undefined ? undefined : { item, record: namespaceOf(item) };
  }

  async #existing(name: string): Promise<Entry> {
    const found = await this.#find(name);
    if (found === undefined) throw noNamespace(name);
    return found;
  }

  /** Events about namespaces are kept outside of them: they outlive a purge, and no tenant can touch them. */
  #event(action: AuditAction, name: string, actor: string | undefined, before: unknown, after: unknown): readonly ItemWrite[] {
    const whole = {
      id: this.#parts.newEventId(),
      action,
      subject: `namespace/${name}`,
      ...(actor === undefined ? {} : { actor }),
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    };
    return auditWrites(TABLE_NAMESPACE_ID, whole, this.#parts.nowMs());
  }

  /** A limiter of this process may have that namespace open, too. */
  #tell(id: string): void {
    this.#parts.onChange([SYSTEM], id);
  }
}

function checkCall(parts: Administration, name: string, options: ActorOptions): { readonly actor: string | undefined } {
  checkKeys('options', options, ['actor']);
  checkName('namespace', name);
  return { actor: checkActor(parts, options) };
}
