import { checkInteger, checkKeys, checkLimitName, checkName, type ItemKey, type WindowType, windowNames } from '@millrace/core';
import { type UsageWindowItem, usageOf, windowOf } from '@millrace/ledger';
import { windowOfItem } from './read-windows.js';
import { checkMoment, checkWindowType, inNumbers, type LimitUsage, type UsageParts } from './usage-parts.js';

/** Whose usage is compared. */
export interface TopOptions {
  readonly resource: string;
  readonly type: WindowType;
  /** Any moment of the window. */
  readonly start: Date;
  readonly limitName: string;
  /** How many entities to tell, from 1 to 1,000. @default 10 */
  readonly count?: number;
}

/** Who used most of a resource in a window: ancestors are entities, too, and usually the heaviest. */
export interface TopUsage {
  readonly start: Date;
  readonly end: Date;
  /** The heaviest first; of equal ones the first by name. */
  readonly entities: readonly ({ readonly entity: string } & LimitUsage)[];
  /** How many entities used any of the resource in the window. */
  readonly entityCount: number;
  /** What all of them used of the limit together, net. Each ancestor that acquires cascade to is one of them, so it counts what its children used once more. */
  readonly total: number;
  /** All limits that were used in the window, in the order of their names: a mistyped `limitName` is not among them. */
  readonly limitNames: readonly string[];
}

const KEYS_PER_PAGE = 1_000;
/** How many windows are read at once: ten requests of a hundred. */
const WINDOWS_AT_ONCE = 1_000;
const NO_USAGE: LimitUsage = { used: 0, returned: 0, net: 0 };

/**
 * The heaviest entities of a window, exactly: the index tells who is in it, and each one's window is read. Costs a read for
 * each thousand entities of the index, and one for each hundred windows.
 */
export async function readTop(parts: UsageParts, options: TopOptions): Promise<TopUsage> {
  checkKeys('options', options, ['resource', 'type', 'start', 'limitName', 'count']);
  const { resource, limitName, count = 10 } = options;
  checkName('resource', resource);
  checkLimitName(limitName);
  checkInteger('option "count"', count, 1, 1_000);
  const [type, atMs] = [checkWindowType(options.type), checkMoment('start', options.start)];
  return parts.run('rank usage', async () => {
    const { startMs, endMs } = windowOf(atMs, await parts.zone(), type);
    const byEntity = new Map<string, LimitUsage>();
    const limitNames = new Set<string>();
    for await (const { ref, limits } of windowsOfAll(parts, resource, type, startMs)) {
      const { entity } = ref.bucket;
      for (const name of limits.keys()) limitNames.add(name);
      const [step, known] = [limits.get(limitName), byEntity.get(entity) ?? NO_USAGE];
      byEntity.set(entity, step === undefined ? known : sum(known, inNumbers(usageOf(step))));
    }
    const all = [...byEntity].map(([entity, usage]) => ({ entity, ...usage }));
    return {
      start: new Date(startMs),
      end: new Date(endMs),
      entities: all.sort(heaviestFirst).slice(0, count),
      entityCount: all.length,
      total: all.reduce((sum, { net }) => sum + net, 0),
      limitNames: [...limitNames].sort(),
    };
  });
}

function sum(a: LimitUsage, b: LimitUsage): LimitUsage {
  return { used: a.used + b.used, returned: a.returned + b.returned, net: a.net + b.net };
}

function heaviestFirst(a: { readonly entity: string; readonly net: number }, b: { readonly entity: string; readonly net: number }): number {
  return b.net - a.net || (a.entity < b.entity ? -1 : 1);
}

/** The windows of every entity that used a resource in a window, in no order. */
export async function* windowsOfAll(
  { items, namespaceId }: Pick<UsageParts, 'namespaceId'> & { readonly items: Pick<UsageParts['items'], 'get' | 'indexed'> },
  resource: string,
  type: WindowType,
  startMs: number,
): AsyncGenerator<UsageWindowItem> {
  const pending: ItemKey[] = [];
  const read = async (): Promise<readonly UsageWindowItem[]> => {
    const chunks = Array.from({ length: Math.ceil(pending.length / 100) }, (_, index) => pending.slice(index * 100, (index + 1) * 100));
    pending.length = 0;
    const found = await Promise.all(chunks.map((chunk) => items.get(chunk)));
    // The index may still name what has expired since.
    return found.flat().flatMap((item) => (item === undefined ? [] : [windowOfItem(item)]));
  };
  for (const name of windowNames(namespaceId, type, resource, startMs)) {
    let after: ItemKey | undefined;
    do {
      const page = await items.indexed(name, after, KEYS_PER_PAGE);
      pending.push(...page.keys);
      if (pending.length >= WINDOWS_AT_ONCE) yield* await read();
      after = page.next;
    } while (after !== undefined);
  }
  yield* await read();
}
