import { ATTRIBUTE, type ItemKey, SCHEMA_VERSION } from '@millrace/core';
import { type Administration, type Item, type ItemQuery, keyOf, Namespaces } from '@millrace/limiter/admin';

/** A namespace that a walk comes to. */
export interface WalkedNamespace {
  readonly id: string;
  readonly name: string;
}

/** What is done with the marks of all namespaces, one after the other. */
export interface MarkWalk {
  /** Where it is noted how far a walk has come that did not come to the end. */
  readonly cursor: string;
  /** Which marks of a namespace were due at a moment, the oldest first. */
  readonly due: (namespaceId: string, atMs: number) => Pick<ItemQuery, 'partition' | 'to'>;
  /** Called at the first mark of a namespace; what it gives is called for each mark, and tells by itself what went wrong. */
  readonly begin: (namespace: WalkedNamespace) => (mark: Item) => Promise<void>;
  /** Asked before each page of marks. */
  readonly hasTime: () => boolean;
  /** Asked before each mark. */
  readonly mayBegin: (mark: Item) => boolean;
}

/** Where the next walk goes on: behind a namespace, and there, if it still is the next, behind a mark. */
interface Place {
  /** When this turn over all namespaces began. */
  readonly sinceMs: number;
  readonly behindNamespace?: string;
  readonly namespaceId?: string;
  readonly behindMark?: string;
}

/** Whether a walk went over all marks, ended the turn that others before it began, or ended before that. */
export type WalkEnding = 'all' | 'rest' | 'cut short';

const CURSORS = '_/seals';
const MARKS_PER_PAGE = 100;

/**
 * Goes over the marks that are due in all active namespaces, as far as time allows. The next walk goes on behind the last mark that was
 * tried, so that one that is too large for any walk, or fails each time, keeps nobody else waiting. Nor does a namespace in which more
 * comes due than there is time for: what was not due when the turn over all of them began is left for the next turn.
 */
export async function walkMarks(parts: Administration, walk: MarkWalk): Promise<WalkEnding> {
  const cursor = { partition: CURSORS, sort: walk.cursor };
  const [item] = await parts.items.get([cursor]);
  const begun = item?.['place'] as Partial<Place> | undefined;
  // A clock may be behind that of the walk before.
  const sinceMs = Math.min(begun?.sinceMs ?? Number.POSITIVE_INFINITY, parts.nowMs());
  for await (const { behind, ...namespace } of activeNamespaces(parts, begun?.behindNamespace)) {
    const tried = namespace.id === begun?.namespaceId ? begun.behindMark : undefined;
    const { isDone, last } = await walkNamespace(parts, walk, namespace, { sinceMs, behind: tried });
    if (isDone) continue;
    await notePlace(parts, cursor, {
      sinceMs,
      namespaceId: namespace.id,
      ...(behind === undefined ? {} : { behindNamespace: behind }),
      ...(last === undefined ? {} : { behindMark: last }),
    });
    return 'cut short';
  }
  if (begun === undefined) return 'all';
  await parts.items.deleteAll([cursor]);
  return 'rest';
}

/** The active namespaces behind one, each with the name of the one before it. */
async function* activeNamespaces(
  parts: Administration,
  from: string | undefined,
): AsyncGenerator<WalkedNamespace & { readonly behind: string | undefined }> {
  const registry = new Namespaces(parts);
  let [behind, after]: [string | undefined, string | undefined] = [from, from];
  do {
    const page = await registry.list(after === undefined ? {} : { after });
    for (const { name, id, state } of page.namespaces) {
      if (state === 'active') yield { id, name, behind };
      behind = name;
    }
    after = page.next;
  } while (after !== undefined);
}

interface NamespaceEnding {
  /** False if there was no time for all. */
  readonly isDone: boolean;
  /** The last mark that was tried. */
  readonly last: string | undefined;
}

async function walkNamespace(
  { items }: Administration,
  walk: MarkWalk,
  namespace: WalkedNamespace,
  { sinceMs, behind }: { readonly sinceMs: number; readonly behind: string | undefined },
): Promise<NamespaceEnding> {
  const query = { ...walk.due(namespace.id, sinceMs), pageSize: MARKS_PER_PAGE };
  const visit = walk.begin(namespace);
  let last = behind;
  for (;;) {
    if (!walk.hasTime()) return { isDone: false, last };
    const page = await items.query({ ...query, ...(last === undefined ? {} : { after: last }) });
    for (const mark of page.items) {
      if (!walk.mayBegin(mark)) return { isDone: false, last };
      last = keyOf(mark).sort;
      await visit(mark);
    }
    if (page.next === undefined) return { isDone: true, last };
  }
}

async function notePlace({ items }: Administration, { partition, sort }: ItemKey, place: Place): Promise<void> {
  const item: Item = {
    [ATTRIBUTE.partitionKey]: partition,
    [ATTRIBUTE.sortKey]: sort,
    [ATTRIBUTE.schemaVersion]: SCHEMA_VERSION,
    place,
  };
  await items.transact([{ kind: 'put', item }]);
}
