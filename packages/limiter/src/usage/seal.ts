import { createHash } from 'node:crypto';
import {
  ATTRIBUTE,
  checkInteger,
  checkKeys,
  checkName,
  MillraceError,
  SCHEMA_VERSION,
  sealKey,
  usageKey,
  ValidationError,
  type WindowType,
} from '@millrace/core';
import { totalUsage, type UsageWindowItem, windowOf } from '@millrace/ledger';
import { type ActorOptions, checkActor } from '../admin/administration.js';
import { auditWrites } from '../admin/audit-event.js';
import type { Item } from '../admin/item-table.js';
import { itemsInTime } from './items-in-time.js';
import { windowsOfAll } from './top.js';
import { checkMoment, checkWindowType, type UsageByLimit, type UsageParts, usageByLimit } from './usage-parts.js';

/** Which window of which resource. */
export interface SealName {
  readonly resource: string;
  readonly type: WindowType;
  /** Any moment of the window. */
  readonly start: Date;
}

export interface SealOptions extends SealName, ActorOptions {
  /** How long after its end a window may still be written to, from 0 to 604,800,000. @default a day, as the stream keeps records for one */
  readonly lateMs?: number;
  /** Whether a window in which nobody used the resource is sealed, too; else it is refused, as a mistyped name would be sealed. @default true */
  readonly allowEmpty?: boolean;
}

/** What all entities used of a resource in a window. */
export interface SealContent {
  /** By limit; ancestors that acquires cascade to are entities, and count what their children used once more. */
  readonly totals: UsageByLimit;
  readonly entities: number;
  readonly windows: number;
  /** The same if and only if every window of every entity is the same; 64 hexadecimal digits. */
  readonly hash: string;
}

/** A window that was closed, with what it came to. */
export interface UsageSeal extends SealContent {
  readonly resource: string;
  readonly type: WindowType;
  readonly start: Date;
  readonly end: Date;
  readonly sealedAt: Date;
}

/** Whether a sealed window is as it was. */
export interface SealCheck {
  readonly intact: boolean;
  readonly seal: UsageSeal;
  /** What the window comes to now. */
  readonly now: SealContent;
}

/** What it takes to seal. */
export interface SealParts extends Pick<UsageParts, 'items' | 'namespaceId' | 'nowMs' | 'newEventId' | 'actor' | 'run' | 'zone'> {
  /** Asked before each request; once it says no, {@link SealInterrupted} is thrown, and nothing was written. @default yes */
  readonly mayGoOn?: () => boolean;
}

/** What a seal is read from, and what it is of. */
interface SealReads extends Pick<UsageParts, 'namespaceId'> {
  readonly items: Pick<UsageParts['items'], 'get' | 'indexed'>;
}

/** There was no time to read all windows of a period. */
export class SealInterrupted extends Error {
  override readonly name = 'SealInterrupted';
}

const DAY_MS = 86_400_000;
const HASH_BYTES = 32;

/**
 * Writes down what a closed window comes to, once: a window that was sealed keeps its first seal. Reads the window of each
 * entity that used the resource.
 *
 * @throws ValidationError if the window is not over, or nobody used the resource in it and `allowEmpty` is false
 */
export async function sealWindow(parts: SealParts, options: SealOptions): Promise<UsageSeal> {
  const { lateMs = DAY_MS, allowEmpty = true, actor: _, ...name } = options;
  const [checked, actor] = [checkSealName(name), checkActor(parts, options)];
  checkInteger('option "lateMs"', lateMs, 0, 7 * DAY_MS);
  if (typeof allowEmpty !== 'boolean') throw new ValidationError('option "allowEmpty"', 'true or false', allowEmpty);
  return parts.run('seal usage', async () => {
    const { resource, type } = checked;
    const { startMs, endMs } = windowOf(checked.atMs, await parts.zone(), type);
    const nowMs = Math.floor(parts.nowMs());
    if (endMs + lateMs > nowMs) {
      throw new ValidationError('option "start"', `in a window that ended before ${new Date(nowMs - lateMs).toISOString()}`, options.start);
    }
    const interrupt = (): Error => new SealInterrupted('there was no time to read all windows');
    const reads = { ...parts, items: itemsInTime(parts.items, parts.mayGoOn ?? (() => true), interrupt) };
    const existing = await readSeal(reads, checked, startMs);
    if (existing !== undefined) return existing;
    const content = await contentOf(reads, resource, type, startMs);
    if (content.windows === 0 && !allowEmpty) {
      const window = `the ${type} that begins ${new Date(startMs).toISOString()}`;
      throw new ValidationError('resource', `one that was used in ${window}, unless "allowEmpty" is true`, resource);
    }
    if (parts.mayGoOn?.() === false) throw new SealInterrupted(`there was no time to write what ${content.windows} windows came to`);
    const seal: UsageSeal = { resource, type, start: new Date(startMs), end: new Date(endMs), sealedAt: new Date(nowMs), ...content };
    const event = {
      id: parts.newEventId(),
      action: 'usage.seal',
      subject: `resource/${resource}`,
      ...(actor === undefined ? {} : { actor }),
      after: seal,
    } as const;
    const outcome = await parts.items.transact([
      { kind: 'put', item: itemOf(parts.namespaceId, seal), when: [{ attribute: ATTRIBUTE.partitionKey, is: 'absent' }] },
      ...auditWrites(parts.namespaceId, event, nowMs),
    ]);
    return outcome === 'done' ? seal : ((await readSeal(parts, checked, startMs)) ?? seal);
  });
}

/**
 * Compares a sealed window with what it is now.
 *
 * @throws MillraceError `NOT_SEALED` if nobody has sealed it
 */
export async function checkSeal(parts: UsageParts, options: SealName): Promise<SealCheck> {
  const checked = checkSealName(options);
  return parts.run('check a seal', async () => {
    const { startMs } = windowOf(checked.atMs, await parts.zone(), checked.type);
    const seal = await readSeal(parts, checked, startMs);
    if (seal === undefined) {
      const window = `${checked.type} of "${checked.resource}" that begins ${new Date(startMs).toISOString()}`;
      const data = { resource: checked.resource, type: checked.type, startMs };
      throw new MillraceError('NOT_SEALED', `the ${window} is not sealed`, { data });
    }
    const now = await contentOf(parts, checked.resource, checked.type, startMs);
    return { intact: now.hash === seal.hash, seal, now };
  });
}

interface CheckedName extends Pick<SealName, 'resource' | 'type'> {
  readonly atMs: number;
}

function checkSealName(name: SealName): CheckedName {
  checkKeys('options', name, ['resource', 'type', 'start']);
  return {
    resource: checkName('resource', name.resource),
    type: checkWindowType(name.type),
    atMs: checkMoment('start', name.start),
  };
}

/** A hash for each window, and all of them added up bit by bit, so that the order in which they are read does not matter. */
async function contentOf(parts: SealReads, resource: string, type: WindowType, startMs: number): Promise<SealContent> {
  const hash = Buffer.alloc(HASH_BYTES);
  const entities = new Set<string>();
  let [windows, totals]: [number, UsageByLimit] = [0, {}];
  for await (const window of windowsOfAll(parts, resource, type, startMs)) {
    const own = createHash('sha256').update(textOf(window)).digest();
    for (const [index, byte] of own.entries()) hash[index] = (hash[index] ?? 0) ^ byte;
    entities.add(window.ref.bucket.entity);
    totals = added(totals, usageByLimit([window]));
    windows += 1;
  }
  return { totals, entities: entities.size, windows, hash: hash.toString('hex') };
}

function textOf(window: UsageWindowItem): string {
  const { partition, sort } = usageKey(window.ref);
  const limits = [...totalUsage([window])].sort(([a], [b]) => (a < b ? -1 : 1));
  return [partition, sort, ...limits.map(([limit, { used, returned }]) => `${limit} ${used} ${returned}`)].join('\n');
}

function added(a: UsageByLimit, b: UsageByLimit): UsageByLimit {
  const sums = { ...a };
  for (const [limit, { used, returned, net }] of Object.entries(b)) {
    const sum = sums[limit] ?? { used: 0, returned: 0, net: 0 };
    sums[limit] = { used: sum.used + used, returned: sum.returned + returned, net: sum.net + net };
  }
  return sums;
}

async function readSeal(
  { items, namespaceId }: SealReads,
  { resource, type }: Pick<SealName, 'resource' | 'type'>,
  startMs: number,
): Promise<UsageSeal | undefined> {
  const [item] = await items.get([sealKey(namespaceId, type, resource, startMs)]);
  if (item === undefined) return undefined;
  return {
    resource,
    type,
    start: new Date(startMs),
    end: new Date(Number(item['end'])),
    sealedAt: new Date(Number(item[ATTRIBUTE.createdAtMs])),
    totals: item['totals'] as UsageByLimit,
    entities: Number(item['entities']),
    windows: Number(item['windows']),
    hash: String(item['hash']),
  };
}

function itemOf(namespaceId: string, { resource, type, start, end, sealedAt, totals, entities, windows, hash }: UsageSeal): Item {
  const { partition, sort } = sealKey(namespaceId, type, resource, start.getTime());
  return {
    [ATTRIBUTE.partitionKey]: partition,
    [ATTRIBUTE.sortKey]: sort,
    [ATTRIBUTE.schemaVersion]: SCHEMA_VERSION,
    [ATTRIBUTE.createdAtMs]: sealedAt.getTime(),
    end: end.getTime(),
    totals,
    entities,
    windows,
    hash,
  };
}
