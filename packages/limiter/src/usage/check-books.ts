import {
  ATTRIBUTE,
  bucketFromItem,
  type EventsRef,
  meterKey,
  parseBucketKey,
  usagePartition,
  usageSort,
  WINDOW_TYPES,
  type WindowType,
  writtenBeforeSec,
} from '@millrace/core';
import { type CountedState, DEFAULT_RETENTION, meterFromItem, type Retention, type UsageWindowItem, usageOf } from '@millrace/ledger';
import { type Item, keyOf } from '../admin/item-table.js';
import { wireItem } from '../admin/level-item.js';
import { itemsOf } from './current.js';
import { type Examined, examine, notBooked, type UsageFinding } from './examine.js';
import { windowOfItem } from './read-windows.js';
import type { CheckedTrust, UsageInFlight } from './trust-options.js';
import { inNumbers, type UsageParts } from './usage-parts.js';

/** The books of one entity on one resource, as they were read. */
interface Books {
  readonly windows: readonly UsageWindowItem[];
  readonly retention: Retention;
}

/** What was found in the books of one entity on one resource. */
export interface Checked {
  readonly windowCount: number;
  readonly examined: readonly Examined[];
  readonly inFlight: readonly UsageInFlight[];
  readonly retention: Retention;
}

const PAGE_SIZE = 1_000;
const DAY_SEC = 86_400;

/**
 * Looks at the windows of an entity on a resource, and at its bucket. What seems wrong is looked at again some time later:
 * only what is as wrong as before is told, since records are being booked meanwhile, one window after the other.
 */
export async function checkBooks(parts: UsageParts, entity: string, resource: string, options: CheckedTrust): Promise<Checked> {
  // Before the windows: what they have of it then was booked in between, and the rest is still on its way.
  const states = await statesOf(parts, entity, resource);
  const first = await readBooks(parts, entity, resource, options.types);
  const zone = await parts.zone();
  const books = { bucket: { namespaceId: parts.namespaceId, entity, resource }, source: options.source };
  const look = ({ windows, retention }: Books): readonly Examined[] =>
    examine(windows, states, { ...options, zone, retention, nowMs: parts.nowMs(), books });
  const seemed = look(first);
  const isBooked = [...notBooked(first.windows, states, options.types).values()].every(({ size }) => size === 0);
  if (seemed.length === 0 && isBooked) return { windowCount: first.windows.length, examined: [], inFlight: [], retention: first.retention };

  await parts.sleep(options.settleMs);
  const second = await readBooks(parts, entity, resource, options.types);
  const before = new Set(seemed.map(({ identity }) => identity));
  const examined = look(second)
    .filter(({ identity }) => before.has(identity))
    .sort((a, b) => inOrder(a.finding, b.finding));
  const lost = new Set(examined.flatMap(({ finding }) => (finding.kind === 'end' ? [`${finding.shard} ${finding.limit}`] : [])));
  const inFlight = [...notBooked(second.windows, states, options.types)].flatMap(([shard, steps]) =>
    [...steps]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .filter(([limit]) => !lost.has(`${shard} ${limit}`))
      .map(([limit, step]): UsageInFlight => ({ entity, resource, limit, shard, ...inNumbers(usageOf(step)) })),
  );
  return { windowCount: second.windows.length, examined, inFlight, retention: second.retention };
}

async function statesOf(parts: UsageParts, entity: string, resource: string): Promise<ReadonlyMap<number, CountedState>> {
  if (parts.source === 'events') return meterOf(parts, { namespaceId: parts.namespaceId, entity, resource });
  return countedStates(await itemsOf(parts, entity, resource));
}

/** What the items of a bucket have counted, by shard. */
export function countedStates(items: readonly Item[]): ReadonlyMap<number, CountedState> {
  return new Map(
    items.map((item) => {
      const { partition, sort } = keyOf(item);
      const state = bucketFromItem(wireItem(item));
      return [parseBucketKey(partition, sort)?.shard ?? 0, { ...state, writtenBeforeSec: writtenBeforeSec(state) }];
    }),
  );
}

async function meterOf({ items }: UsageParts, ref: EventsRef): Promise<ReadonlyMap<number, CountedState>> {
  const [item] = await items.get([meterKey(ref)]);
  return new Map(item === undefined ? [] : [[0, meterFromItem(wireItem(item))]]);
}

async function readBooks(
  { items, namespaceId, source }: UsageParts,
  entity: string,
  resource: string,
  types: readonly WindowType[],
): Promise<Books> {
  const [windows, retention]: [UsageWindowItem[], Partial<Record<WindowType, number>>] = [[], { ...DEFAULT_RETENTION }];
  for (const type of types) {
    const query = { partition: usagePartition(namespaceId, entity, source), prefix: usageSort(type, resource), pageSize: PAGE_SIZE };
    let [after, last]: [string | undefined, Item | undefined] = [undefined, undefined];
    do {
      const page = await items.query({ ...query, ...(after === undefined ? {} : { after }) });
      windows.push(...page.items.map(windowOfItem));
      last = page.items.at(-1) ?? last;
      after = page.next;
    } while (after !== undefined);
    if (last !== undefined) learnRetention(retention, last);
  }
  return { windows, retention };
}

/** For how long the aggregator keeps the windows of a type, by when one of them expires. */
function learnRetention(retention: Partial<Record<WindowType, number>>, item: Item): void {
  const { type, startMs } = windowOfItem(item).ref;
  const ttlSec = item[ATTRIBUTE.ttlSec];
  if (typeof ttlSec === 'number') retention[type] = Math.round((ttlSec - startMs / 1_000) / DAY_SEC);
  else delete retention[type];
}

/** DynamoDB gives the attributes of an item in any order; what is told has one. */
export function inOrder(a: UsageFinding, b: UsageFinding): number {
  const byType = WINDOW_TYPES.indexOf(a.type) - WINDOW_TYPES.indexOf(b.type);
  return byType || a.window.getTime() - b.window.getTime() || a.shard - b.shard || (a.limit < b.limit ? -1 : 1);
}
