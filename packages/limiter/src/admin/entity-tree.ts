import { CHILD_PREFIX, type EntityRecord, entityKey, escapeName, MAX_DEPTH, unescapeName } from '@millrace/core';
import { type EntityPlaces, readEntities, type StoredEntity } from './entity-item.js';

/** Children are read in pages of that size: as many as one request reads the items of. */
const PAGE_SIZE = 100;

/** A page of entities' ids, in the order of their keys. */
export interface EntityPage {
  readonly ids: readonly string[];
  /** Hand it in as `after` to go on; absent on the last page. */
  readonly next?: string;
}

/** The ids of the entities directly below one. One read. */
export async function childIds(
  { items, namespaceId }: EntityPlaces,
  parent: string,
  pageSize: number,
  after: string | undefined,
): Promise<EntityPage> {
  const { partition } = entityKey(namespaceId, parent);
  const from = after === undefined ? {} : { after: CHILD_PREFIX + escapeName(after) };
  const page = await items.query({ partition, prefix: CHILD_PREFIX, pageSize, ...from });
  const idOf = (sort: string): string => unescapeName(sort.slice(CHILD_PREFIX.length));
  const ids = page.items.map((item) => idOf(String(item['SK'])));
  return page.next === undefined ? { ids } : { ids, next: idOf(page.next) };
}

/** All children of an entity, a page at a time. Two reads for each page. */
export async function* children(parts: EntityPlaces, parent: string): AsyncGenerator<readonly StoredEntity[]> {
  let after: string | undefined;
  do {
    const { ids, next } = await childIds(parts, parent, PAGE_SIZE, after);
    // A link leads to an entity that is there; one that has gone since is none of ours any more.
    yield (await readEntities(parts, ids)).filter(
      (child) => child !== undefined && !child.deleted && child.parent === parent,
    ) as StoredEntity[];
    after = next;
  } while (after !== undefined);
}

/**
 * An entity and all that stand above it, nearest first, found by going from parent to parent as of now: while one far
 * above is being moved, an entity's own list of ancestors may be the one of before. It is where the search looks first,
 * so it costs one read where the list is right. Undefined where somebody was moved during the search.
 *
 * It ends above the depth that is allowed, so that whoever asks can see that it is too deep.
 */
export async function chainFrom(parts: EntityPlaces, entity: StoredEntity): Promise<readonly StoredEntity[] | undefined> {
  const expected = new Map((await readEntities(parts, entity.ancestors)).map((ancestor) => [ancestor?.id, ancestor]));
  const chain = [entity];
  for (let at = entity; at.parent !== undefined && chain.length <= MAX_DEPTH; ) {
    const [above] = expected.has(at.parent) ? [expected.get(at.parent)] : await readEntities(parts, [at.parent]);
    if (above === undefined || above.deleted) return undefined;
    chain.push(above);
    at = above;
  }
  return chain;
}

/** The first of a chain with the ancestors, and the charges, that the chain says it has. */
export function standing([first, ...above]: readonly StoredEntity[]): StoredEntity | undefined {
  if (first === undefined) return undefined;
  const free = [first, ...above].findIndex(({ cascade }) => !cascade);
  return { ...first, ancestors: above.map(({ id }) => id), chargedCount: free === -1 ? above.length : free };
}

/** What stands below an entity. */
export interface Subtree {
  /** Parents before their children. */
  readonly members: readonly StoredEntity[];
  /** How many levels there are. */
  readonly height: number;
}

/** Reads all that stands below an entity. Two reads for each of them that has children, more where it has many. */
export async function subtreeOf(parts: EntityPlaces, root: EntityRecord): Promise<Subtree> {
  const members: StoredEntity[] = [];
  let height = 0;
  let level: readonly EntityRecord[] = root.childCount > 0 ? [root] : [];
  while (level.length > 0) {
    const found: StoredEntity[] = [];
    for (const parent of level) {
      for await (const page of children(parts, parent.id)) found.push(...page);
    }
    if (found.length > 0) height += 1;
    members.push(...found);
    level = found.filter(({ childCount }) => childCount > 0);
  }
  return { members, height };
}
