import type { UsageFinding } from '../src/usage/examine.js';
import type { UsageWorld } from './usage-world.js';

/** A finding on one line. */
export const brief = ({ kind, type, limit, window, after, used, returned }: UsageFinding) =>
  [kind, type, limit, after?.toISOString().slice(5, 16) ?? '-', '>', window.toISOString().slice(5, 16), used, returned].join(' ');

/** What is wrong, a line for each. */
export const verified = async (world: UsageWorld) => (await world.usage.verify()).found.map(brief);

/** Net usage of an entity by the windows of each type, from the first of January to the end of the last whole week of the year. */
export async function sums(world: UsageWorld, entity = 'key-1'): Promise<readonly number[]> {
  const year = { entity, from: new Date('2027-01-01T00:00:00Z'), to: new Date('2027-12-27T00:00:00Z') };
  const types = ['hour', 'day', 'week', 'month'] as const;
  return Promise.all(types.map(async (type) => (await world.usage.summary({ ...year, type })).resources['gpt-4']?.['rpm']?.net ?? 0));
}
