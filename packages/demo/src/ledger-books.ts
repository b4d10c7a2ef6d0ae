import type { RateLimiter, WindowType } from '@millrace/limiter';

/** The windows in which the aggregator books. */
export const BOOKED_TYPES = ['hour', 'day', 'week', 'month'] as const satisfies readonly WindowType[];

/** By entity, limit and type of window: the tokens that the ledger says were used, all windows of the type together. */
export type LedgerBooks = ReadonlyMap<string, ReadonlyMap<string, Readonly<Record<WindowType, number>>>>;

/** Longer than any window, so that the one in which the demo began is found, too. */
const LOOK_BACK_MS = 32 * 86_400_000;

/** Asks the ledger, by its queries, what each entity used. The table is the demo's own: nothing else is in it. */
export async function readLedger(limiter: RateLimiter, entities: readonly string[], resource: string, nowMs: number): Promise<LedgerBooks> {
  const range = { resource, from: new Date(nowMs - LOOK_BACK_MS), to: new Date(nowMs + 1_000) };
  const books = await Promise.all(
    entities.map(async (entity) => {
      const limits = new Map<string, Record<WindowType, number>>();
      for (const type of BOOKED_TYPES) {
        const { snapshots } = await limiter.usage.snapshots({ entity, type, ...range });
        for (const [limit, { net }] of snapshots.flatMap((snapshot) => Object.entries(snapshot.limits))) {
          const sums = limits.get(limit) ?? { hour: 0, day: 0, week: 0, month: 0 };
          sums[type] += net;
          limits.set(limit, sums);
        }
      }
      return [entity, limits] as const;
    }),
  );
  return new Map(books);
}
