import { checkKeys, checkName, type WindowType } from '@millrace/core';
import { type UsageWindowItem, windowOf } from '@millrace/ledger';
import { readWindows, resourcesFrom } from './read-windows.js';
import {
  checkRange,
  checkSource,
  checkWindowType,
  type SourceOptions,
  type UsageByLimit,
  type UsageParts,
  usageByLimit,
} from './usage-parts.js';

/** What is to be summed. */
export interface SummaryOptions extends SourceOptions {
  readonly entity: string;
  /** @default every resource that the entity used */
  readonly resource?: string;
  /** What was used from the first hour on that begins at this moment or later… */
  readonly from: Date;
  /** … up to the first hour that begins at this one or later. */
  readonly to: Date;
  /**
   * Sums only windows of this type, those that begin in the range. Say it where the aggregator was told not to keep all types.
   * @default whole months, whole days and hours, whatever fits: the longest are kept the longest, and are the fewest to read
   */
  readonly type?: WindowType;
}

/** What an entity used in a time. */
export interface UsageSummary {
  /** What was asked for, from its next whole second on. The first window that is summed begins then or later. */
  readonly from: Date;
  /** The end that was asked for, from its next whole second on. The last window that is summed begins before it, and may end after it. */
  readonly to: Date;
  /** By resource, and there by limit. A resource of which nothing was used is not named. */
  readonly resources: Readonly<Record<string, UsageByLimit>>;
}

/** A stretch of time that windows of one type make up. */
interface Tile {
  readonly type: WindowType;
  readonly fromMs: number;
  readonly toMs: number;
}

const PAGE_SIZE = 1_000;
const LONGEST_FIRST: readonly WindowType[] = ['month', 'day', 'hour'];

/** Sums windows, in one read for each resource and each of at most five stretches. */
export async function readSummary(allParts: UsageParts, options: SummaryOptions): Promise<UsageSummary> {
  checkKeys('options', options, ['entity', 'resource', 'from', 'to', 'type', 'source']);
  const parts = { ...allParts, source: checkSource(options) };
  const { entity, resource, type } = options;
  checkName('entity', entity);
  if (resource !== undefined) checkName('resource', resource);
  const types = type === undefined ? LONGEST_FIRST : [checkWindowType(type)];
  const { fromMs, toMs } = checkRange(options);
  return parts.run('sum usage', async () => {
    const tiles = tilesOf(fromMs, toMs, await parts.zone(), types);
    const names = resource === undefined ? await resourcesOf(parts, entity, tiles) : [resource];
    const sums: [string, UsageByLimit][] = [];
    for (const name of names) {
      const windows: UsageWindowItem[] = [];
      for (const tile of tiles) {
        for await (const window of readWindows(parts, { entity, resource: name, ...tile }, PAGE_SIZE)) windows.push(window);
      }
      if (windows.length > 0) sums.push([name, usageByLimit(windows)]);
    }
    return { from: new Date(fromMs), to: new Date(toMs), resources: Object.fromEntries(sums) };
  });
}

async function resourcesOf(parts: UsageParts, entity: string, tiles: readonly Tile[]): Promise<readonly string[]> {
  const names = new Set<string>();
  for (const type of new Set(tiles.map((tile) => tile.type))) {
    for await (const name of resourcesFrom(parts, entity, type)) names.add(name);
  }
  return [...names].sort();
}

/** The windows that make up a range, as few as there are: of the shortest type those that begin in it, of longer ones those that lie in it. */
function tilesOf(fromMs: number, toMs: number, zone: string, types: readonly WindowType[]): readonly Tile[] {
  const [type, ...shorter] = types;
  if (type === undefined || fromMs >= toMs) return [];
  if (shorter.length === 0) return [{ type, fromMs, toMs }];
  const first = windowOf(fromMs, zone, type);
  const startMs = first.startMs === fromMs ? fromMs : first.endMs;
  const endMs = windowOf(toMs, zone, type).startMs;
  if (startMs >= endMs) return tilesOf(fromMs, toMs, zone, shorter);
  return [...tilesOf(fromMs, startMs, zone, shorter), { type, fromMs: startMs, toMs: endMs }, ...tilesOf(endMs, toMs, zone, shorter)];
}
