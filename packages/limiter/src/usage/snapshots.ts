import { checkInteger, checkKeys, checkName, instantMs, unescapeName, usageSort, ValidationError, type WindowType } from '@millrace/core';
import { windowOf, writesOf } from '@millrace/ledger';
import { readGroups, resourcesFrom } from './read-windows.js';
import {
  checkRange,
  checkSource,
  checkWindowType,
  type SourceOptions,
  type UsageByLimit,
  type UsageParts,
  usageByLimit,
} from './usage-parts.js';

/** Which windows are asked for. */
export interface SnapshotsOptions extends SourceOptions {
  readonly entity: string;
  /** @default every resource that the entity used, one after the other */
  readonly resource?: string;
  readonly type: WindowType;
  /** Windows that begin from this moment on… */
  readonly from: Date;
  /** … and before this one. */
  readonly to: Date;
  /** Whether windows in which nothing was used are told, too, without any limit. @default false */
  readonly fillGaps?: boolean;
  /** How many a page may hold, from 1 to 1,000. @default 100 */
  readonly pageSize?: number;
  /** The `next` of the page before, with the same options. */
  readonly after?: string;
}

/** What an entity used of a resource in one window, all shards of its bucket together. */
export interface UsageSnapshot {
  readonly resource: string;
  readonly type: WindowType;
  readonly start: Date;
  /** The first moment that is not in it any more. */
  readonly end: Date;
  readonly limits: UsageByLimit;
  /** How many writes of the bucket the window knows of: acquires, adjusts and releases, a group of callers being one; of events how many they are. */
  readonly writes: number;
}

/** A page of windows, by resource and time. */
export interface SnapshotPage {
  readonly snapshots: readonly UsageSnapshot[];
  /** Hand it in as `after` to go on; absent on the last page. */
  readonly next?: string;
}

interface Place {
  readonly resource: string;
  readonly startMs: number;
}

interface Checked extends Pick<SnapshotsOptions, 'entity' | 'resource' | 'type'> {
  readonly fromMs: number;
  readonly toMs: number;
  readonly fillGaps: boolean;
  readonly pageSize: number;
  readonly place: Place | undefined;
}

const KNOWN: readonly (keyof SnapshotsOptions)[] = ['entity', 'resource', 'type', 'from', 'to', 'fillGaps', 'pageSize', 'after', 'source'];

/** A page of windows. The place of a page is the key of its last window, so that what is written meanwhile moves nothing. */
export async function readSnapshots(parts: UsageParts, options: SnapshotsOptions): Promise<SnapshotPage> {
  checkKeys('options', options, KNOWN);
  const [checked, source] = [checkSnapshots(options), checkSource(options)];
  return parts.run('read usage', async () => {
    const snapshots: UsageSnapshot[] = [];
    for await (const snapshot of snapshotsFrom({ ...parts, source }, checked, await parts.zone())) {
      const last = snapshots.at(-1);
      if (snapshots.length === checked.pageSize && last !== undefined) {
        return { snapshots, next: usageSort(last.type, last.resource, last.start.getTime()) };
      }
      snapshots.push(snapshot);
    }
    return { snapshots };
  });
}

async function* snapshotsFrom(parts: UsageParts, checked: Checked, zone: string): AsyncGenerator<UsageSnapshot> {
  const { entity, resource, type, place } = checked;
  const resources = resource === undefined ? resourcesFrom(parts, entity, type, place?.resource) : [resource];
  for await (const name of resources) {
    const behindMs = name === place?.resource ? windowOf(place.startMs, zone, type).endMs : 0;
    yield* ofResource(parts, { ...checked, fromMs: Math.max(checked.fromMs, behindMs) }, name, zone);
  }
}

async function* ofResource(parts: UsageParts, checked: Checked, resource: string, zone: string): AsyncGenerator<UsageSnapshot> {
  const { entity, type, fromMs, toMs, fillGaps, pageSize } = checked;
  const snapshot = (startMs: number, limits: UsageByLimit, writes: number): UsageSnapshot => {
    const end = new Date(windowOf(startMs, zone, type).endMs);
    return { resource, type, start: new Date(startMs), end, limits, writes };
  };
  const empty = fillGaps ? startsFrom(fromMs, zone, type) : () => Number.POSITIVE_INFINITY;
  let nextEmptyMs = empty();
  for await (const { startMs, windows } of readGroups(parts, { entity, resource, type, fromMs, toMs }, pageSize)) {
    for (; nextEmptyMs < startMs; nextEmptyMs = empty()) yield snapshot(nextEmptyMs, {}, 0);
    if (nextEmptyMs === startMs) nextEmptyMs = empty();
    yield snapshot(
      startMs,
      usageByLimit(windows),
      windows.reduce((sum, window) => sum + writesOf(window), 0),
    );
  }
  for (; nextEmptyMs < toMs; nextEmptyMs = empty()) yield snapshot(nextEmptyMs, {}, 0);
}

/** The beginnings of windows, one after the other, from a moment on. */
function startsFrom(fromMs: number, zone: string, type: WindowType): () => number {
  let window = windowOf(fromMs, zone, type);
  if (window.startMs < fromMs) window = windowOf(window.endMs, zone, type);
  return () => {
    const { startMs, endMs } = window;
    window = windowOf(endMs, zone, type);
    return startMs;
  };
}

function checkSnapshots(options: SnapshotsOptions): Checked {
  const { entity, resource, fillGaps = false, pageSize = 100, after } = options;
  checkName('entity', entity);
  if (resource !== undefined) checkName('resource', resource);
  if (typeof fillGaps !== 'boolean') throw new ValidationError('option "fillGaps"', 'true or false', fillGaps);
  const type = checkWindowType(options.type);
  return {
    entity,
    ...(resource === undefined ? {} : { resource }),
    type,
    ...checkRange(options),
    fillGaps,
    pageSize: checkInteger('option "pageSize"', pageSize, 1, 1_000),
    place: after === undefined ? undefined : placeOf(after, type, resource),
  };
}

function placeOf(after: unknown, type: WindowType, resource: string | undefined): Place {
  const [typeText, name = '', start = '', ...rest] = typeof after === 'string' ? after.split('/') : [];
  const [place, startMs] = [unescapeName(name), instantMs(start)];
  if (typeText !== type || startMs === undefined || rest.length > 0 || place === '' || (resource !== undefined && place !== resource)) {
    throw new ValidationError('option "after"', 'the "next" of a page of the same windows', after);
  }
  return { resource: place, startMs };
}
