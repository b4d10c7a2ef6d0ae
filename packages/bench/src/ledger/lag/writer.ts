import { setTimeout as sleepFor } from 'node:timers/promises';
import { Limit, RateLimiter } from '@millrace/limiter';
import type { Site } from '../../servers/site.js';
import { inPool } from '../pool.js';

export const LAG_RESOURCE = 'api';
export const LAG_LIMIT = 'requests';
/** Never refuses: what is measured comes after the acquire. */
const AMPLE = Limit.of({ name: LAG_LIMIT, capacity: 1_000_000, refill: 1_000_000, periodMs: 1_000 });
const REQUEST_TIMEOUT_MS = 30_000;
const DEADLINE_MS = 60_000;

/** What the writers of changes are told. */
export interface LagTask {
  readonly site: Pick<Site, 'endpoint' | 'region' | 'credentials'>;
  readonly table: string;
  /** Changes offered in each second, evenly. */
  readonly perSecond: number;
  readonly changes: number;
  /** Buckets that are changed in turns. */
  readonly keys: number;
  /** How many write at once. Each has keys of its own, so that no two ever share a write. At most as many as keys. */
  readonly writers: number;
}

/** When the changes were sent, by the clock of the machine. */
export interface Written {
  /** Of each change of each key, in order. */
  readonly sentAtMs: readonly (readonly number[])[];
  readonly elapsedMs: number;
}

/** Who writes, warm: each bucket has been written to once. */
export interface Writer extends AsyncDisposable {
  /** Writes all changes, and returns when the last one is answered. */
  write(): Promise<Written>;
}

/** Starts one: in a process of its own, or, in a test, in this one. */
export type StartWriter = (task: LagTask) => Promise<Writer>;

/** The name of a key. */
export function lagKey(key: number): string {
  return `key-${key}`;
}

/** Makes writers in this process, and writes to each bucket once. */
export async function openWriter({ site, table, perSecond, changes, keys, writers }: LagTask): Promise<Writer> {
  const connection = { ...site, table, transport: 'lean' as const };
  const limiter = await RateLimiter.open({ ...connection, requestTimeoutMs: REQUEST_TIMEOUT_MS, deadlineMs: DEADLINE_MS });
  const change = async (key: number): Promise<unknown> =>
    (await limiter.acquire(lagKey(key), LAG_RESOURCE, { [LAG_LIMIT]: 1 }, { limits: [AMPLE] })).commit();
  const warm = Array.from({ length: keys }, (_, key) => key);
  await inPool(warm, writers, change);
  return {
    async write() {
      const sentAtMs: number[][] = warm.map(() => []);
      const startMs = performance.now();
      // Turns of a key are as many of its writer's turns apart as it has keys: they follow each other.
      const writer = async (first: number): Promise<void> => {
        const own = warm.filter((key) => key % writers === first);
        for (let turn = 0, index = first; index < changes; turn += 1, index += writers) {
          const earlyMs = startMs + (index * 1_000) / perSecond - performance.now();
          if (earlyMs >= 1) await sleepFor(earlyMs);
          const key = own[turn % own.length] as number;
          sentAtMs[key]?.push(Date.now());
          await change(key);
        }
      };
      await Promise.all(Array.from({ length: writers }, (_, index) => writer(index)));
      return { sentAtMs, elapsedMs: performance.now() - startMs };
    },
    [Symbol.asyncDispose]: () => limiter.close(),
  };
}
