import { availableTokens, timingOf } from '@millrace/core';
import type { Limit, RateLimiter } from '@millrace/limiter';
import { figure } from '../render/figures.js';
import { limitCells } from '../render/limits.js';
import type { Style } from '../render/style.js';
import { table } from '../render/table.js';

/** What is left of one limit at one level: the entity's, or that of an ancestor that it cascades to. */
export interface LevelLeft {
  readonly entity: string;
  readonly limit: Limit;
  readonly available: number;
}

/** Every level that an acquire is charged at. */
export interface Standing {
  readonly levels: readonly LevelLeft[];
  /** The entities among them that are admitted without being counted. */
  readonly bypassed: readonly string[];
}

/**
 * What is left at each level on its own, and not the least of all: that is what tells who stands in the way. The limits
 * are those of the call, or what is stored for each. One read for each level, and those of the explanation.
 */
export async function levelsLeft(
  limiter: RateLimiter,
  entity: string,
  resource: string,
  own: readonly Limit[] | undefined,
): Promise<Standing> {
  const { limits, control, charged, ancestors } = await limiter.explain(entity, resource);
  const levels = [[entity, limits] as const, ...charged.map((ancestor) => [ancestor, ancestors.get(ancestor)?.limits] as const)];
  const read = levels.map(async ([id, stored]): Promise<readonly LevelLeft[]> => {
    const limited = own ?? stored;
    if (limited === undefined) return [];
    const available = await limiter.available(id, resource, { limits: (asked) => (asked === id ? limited : undefined) });
    return limited.map((limit) => ({ entity: id, limit, available: available[limit.name] ?? limit.capacity }));
  });
  const modes = [[entity, control.mode] as const, ...charged.map((ancestor) => [ancestor, ancestors.get(ancestor)?.control.mode] as const)];
  const bypassed = modes.flatMap(([id, mode]) => (mode === 'bypass' ? [id] : []));
  return { levels: (await Promise.all(read)).flat(), bypassed };
}

/** The same for people. */
export function leftTable(levels: readonly LevelLeft[], style: Style): string {
  const rows = levels.map(({ entity, limit, available }) => {
    const [name, tokens, per, capacity] = limitCells(limit);
    return [entity, name, available, capacity, tokens, per];
  });
  return table(['entity', 'limit', 'available', 'capacity', 'tokens', 'per'], rows, { style, empty: 'no limits hold' });
}

/**
 * For people, what a bucket in use keeps back: without it, a refusal of less than the capacity looks wrong. Nothing where no
 * limit that stands in a table below its capacity keeps back a token.
 */
export function reserveNote(limits: readonly Limit[]): { readonly note?: string } {
  const kept = new Map(limits.map((limit) => [limit.name, { limit, tokens: keptBack(limit) }]));
  const parts = [...kept.values()].flatMap(({ limit, tokens }) =>
    tokens > 0 ? [`${figure(tokens)} of ${figure(limit.capacity)} ${limit.name}`] : [],
  );
  if (parts.length === 0) return {};
  return {
    note: `a bucket in use keeps back its reserve (${parts.join(', ')}), and a request for more waits until it has been full for a while; see "reserve" in the README`,
  };
}

/** What a bucket that was full a moment ago keeps back of its capacity. */
function keptBack(limit: Limit): number {
  const nowUs = Date.now() * 1_000;
  return limit.capacity - availableTokens(timingOf(limit), nowUs, nowUs);
}

/** The limits of which less is available than they hold: only there the reserve shows. */
export function inUse(levels: readonly LevelLeft[]): readonly Limit[] {
  return levels.filter(({ limit, available }) => available < limit.capacity).map(({ limit }) => limit);
}
