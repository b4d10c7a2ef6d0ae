import type { Units } from '@millrace/cost';
import type { RateLimiter } from '@millrace/limiter';
import { AMOUNTS, type Ground, RESOURCE, SCARCE } from './ground.js';

/** An operation of the peer's table, what we do in its place, and how that is counted. */
export interface Operation {
  readonly id: string;
  /** As the peer's guide has it; absent where it has no such row. */
  readonly published?: { readonly operation: string; readonly readUnits: string; readonly writeUnits: string };
  readonly ours: string;
  readonly note?: string;
  count(stand: Stand): Promise<Units>;
}

/** Two processes that have met everything but the buckets. */
export interface Stand {
  readonly ground: Ground;
  readonly one: RateLimiter;
  readonly other: RateLimiter;
}

/** A row of the peer's table. */
export const published = (operation: string, readUnits: string, writeUnits: string) => ({ operation, readUnits, writeUnits });
/** An acquire as the scenarios make it. */
export const take = (limiter: RateLimiter, entity: string): Promise<unknown> => limiter.acquire(entity, RESOURCE, AMOUNTS);

/** An entity below so many ancestors, whose configuration both processes remember. Not counted. */
export async function lineage({ ground, one, other }: Stand, name: string, depth: number): Promise<string> {
  await ground.meter.uncounted(async () => {
    for (let level = depth - 1; level >= 0; level -= 1) {
      await one.entities.create(levelOf(name, level), level === depth - 1 ? {} : { parent: levelOf(name, level + 1), cascade: true });
    }
    await known(one, other, name);
  });
  ground.runtime.advance(1);
  return name;
}

/** The name of the ancestor so many levels above an entity; of the entity itself at 0. */
export const levelOf = (name: string, level: number): string => (level === 0 ? name : `${name}-above-${level}`);

async function known(one: RateLimiter, other: RateLimiter, entity: string): Promise<void> {
  for (const limiter of [one, other]) {
    await limiter.explain(entity, RESOURCE);
    await limiter.explain(entity, SCARCE);
  }
}

/** An entity of its own for a row, which both processes know, and a bucket that neither has met. */
export async function entity({ ground, one, other }: Stand, name: string): Promise<string> {
  await ground.meter.uncounted(() => known(one, other, name));
  return name;
}

/** Counts what comes after a preparation that is not counted. */
export async function after({ ground }: Stand, before: () => Promise<unknown>, work: () => Promise<unknown>): Promise<Units> {
  await ground.meter.uncounted(before);
  return ground.meter.count(work);
}

/** What is left of one count without another. */
export function less(whole: Units, part: Units): Units {
  return {
    requests: whole.requests - part.requests,
    readUnits: whole.readUnits - part.readUnits,
    writeUnits: whole.writeUnits - part.writeUnits,
  };
}
