import { ATTRIBUTE, bucketKey, FIRST_LAYOUT, type Layout, Limit, layoutAfter, limitAttribute } from '@millrace/core';
import type { Administration, Item, ItemWrite } from '@millrace/limiter/admin';
import { Entities } from '../src/admin/entities.js';
import { StoredLimits } from '../src/admin/stored-limits.js';

const rpm = Limit.perMinute('rpm', 100);

/** What an entity of a planted tree has of its own. */
export interface Belongings {
  readonly limitsOn?: readonly string[];
  readonly hasDefault?: boolean;
  readonly isDisabled?: boolean;
  /** Of how many items its bucket on each resource is. */
  readonly buckets?: Readonly<Record<string, number>>;
  /** The manifest that made its limits. */
  readonly manifest?: string;
}

/** Entities with limits, controls and buckets, as services and administrators leave them in a namespace. */
export class PlantedTree {
  readonly #parts: Administration;
  readonly entities: Entities;
  readonly limits: StoredLimits;

  constructor(parts: Administration) {
    this.#parts = parts;
    this.entities = new Entities(parts);
    this.limits = new StoredLimits(parts);
  }

  /** Creates an entity and what it has. */
  async plant(id: string, parent?: string, belongings: Belongings = {}): Promise<void> {
    await this.entities.create(id, parent === undefined ? {} : { parent, cascade: true });
    await this.furnish(id, belongings);
  }

  /** Gives an entity what it has, whether it was created or not. */
  async furnish(id: string, { limitsOn = [], hasDefault, isDisabled, buckets = {}, manifest }: Belongings): Promise<void> {
    for (const resource of limitsOn) {
      const level = { level: 'entity', entity: id, resource } as const;
      if (manifest === undefined) await this.limits.set(level, [rpm]);
      else await this.limits.apply([{ level, limits: [rpm] }], { manifest });
    }
    if (hasDefault === true) await this.limits.setEntityDefault(id, [rpm]);
    if (isDisabled === true) await this.entities.disable(id, { reason: 'unpaid' });
    const writes = Object.entries(buckets).flatMap(([resource, shards]) =>
      Array.from({ length: shards }, (_, shard) => bucketWrite(this.#parts, id, resource, shard, spreadOver(shards))),
    );
    if (writes.length > 0) await this.#parts.items.transact(writes);
  }
}

function bucketWrite(
  { namespaceId, nowMs }: Administration,
  entity: string,
  resource: string,
  shard: number,
  layout: Layout | undefined,
): ItemWrite {
  const item = bucketItem(namespaceId, { entity, resource, shard }, { rpm: nowMs() * 1000 + 60_000_000 });
  return { kind: 'put', item: layout === undefined ? item : { ...item, [ATTRIBUTE.layout]: layout } };
}

/** The layout that the items of a bucket have after one split; one that was never split says none. */
export function spreadOver(items: number): Layout | undefined {
  return items === 1 ? undefined : layoutAfter(FIRST_LAYOUT, items);
}

/** A bucket as the engine leaves it, with the arrival time of each limit; all of them have the scale of a hundred a minute. */
export function bucketItem(
  namespaceId: string,
  ref: { readonly entity: string; readonly resource: string; readonly shard: number },
  arrivals: Readonly<Record<string, number>>,
): Item {
  const { partition, sort } = bucketKey({ namespaceId, ...ref });
  const limits = Object.entries(arrivals).map(([limit, tatUs]) => ({
    [limitAttribute('tat', limit)]: tatUs,
    [limitAttribute('used', limit)]: 1_000,
    [limitAttribute('returned', limit)]: 10,
    [limitAttribute('scale', limit)]: '600000/1',
  }));
  const { partitionKey, sortKey, schemaVersion, seq, configVersion, ttlSec } = ATTRIBUTE;
  const item = { [partitionKey]: partition, [sortKey]: sort, [schemaVersion]: 1, [seq]: 7, [configVersion]: 5, [ttlSec]: 1_900_000_000 };
  return Object.assign(item, ...limits);
}

/** What may be left of what was deleted: tombstones that expire, and events. */
export function isLeftBehind(item: Item): boolean {
  return (item[ATTRIBUTE.deleted] === true && typeof item[ATTRIBUTE.ttlSec] === 'number') || isEvent(item);
}

export function isEvent(item: Item): boolean {
  return /^[^/]+\/a(\/|$)/.test(String(item[ATTRIBUTE.partitionKey]));
}

/** Items as texts that are the same if and only if they are, by key. */
export function itemTexts(items: readonly Item[]): ReadonlyMap<string, string> {
  const text = (item: Item) => JSON.stringify(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  return new Map(items.map((item) => [`${item['PK']}\n${item['SK']}`, text(item)]));
}

/** Plants what nobody deletes: another namespace of the same names, and relatives and namesakes in the same one. */
export async function plantOutsiders(own: PlantedTree, other: PlantedTree): Promise<void> {
  const all: Belongings = { limitsOn: ['gpt', 'a/b'], hasDefault: true, isDisabled: true, buckets: { gpt: 2, 'a/b': 1 }, manifest: 'm' };
  await own.limits.setSystem([rpm]);
  await own.limits.setResource('gpt', [rpm]);
  for (const [tree, ids] of [
    [own, ['company', 'orgs', 'org/0', 'org%2F0', 'org-0', 'key', '0']],
    [other, ['company', 'org', 'project-0', 'key-0-0', 'nobody']],
  ] as const) {
    for (const id of ids) await tree.plant(id, id === 'company' ? undefined : 'company', all);
  }
}
