import type { Limit, RateLimiter } from '@millrace/limiter';
import { limitCells } from '../render/limits.js';
import type { Style } from '../render/style.js';
import { table } from '../render/table.js';

/** What is left of one limit at one level: the entity's, or that of an ancestor that it cascades to. */
export interface LevelLeft {
  readonly entity: string;
  readonly limit: Limit;
  readonly available: number;
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
): Promise<readonly LevelLeft[]> {
  const { limits, charged, ancestors } = await limiter.explain(entity, resource);
  const levels = [[entity, limits] as const, ...charged.map((ancestor) => [ancestor, ancestors.get(ancestor)?.limits] as const)];
  const read = levels.map(async ([id, stored]): Promise<readonly LevelLeft[]> => {
    const limited = own ?? stored;
    if (limited === undefined) return [];
    const available = await limiter.available(id, resource, { limits: (asked) => (asked === id ? limited : undefined) });
    return limited.map((limit) => ({ entity: id, limit, available: available[limit.name] ?? limit.capacity }));
  });
  return (await Promise.all(read)).flat();
}

/** The same for people. */
export function leftTable(levels: readonly LevelLeft[], style: Style): string {
  const rows = levels.map(({ entity, limit, available }) => {
    const [name, tokens, per, capacity] = limitCells(limit);
    return [entity, name, available, capacity, tokens, per];
  });
  return table(['entity', 'limit', 'available', 'capacity', 'tokens', 'per'], rows, { style, empty: 'no limits hold' });
}
