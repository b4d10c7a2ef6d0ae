import { setTimeout as sleepFor } from 'node:timers/promises';
import { isMillraceError, Limit, RateLimiter, type RateLimiterOptions } from '@millrace/limiter';

/** What a process of callers is told. */
export interface CallersTask {
  readonly connection: RateLimiterOptions;
  readonly entities: readonly string[];
  readonly callers: number;
  readonly durationMs: number;
  /** How long a caller rests between two calls: what is wanted is time and interleaving, not load. */
  readonly restMs: number;
}

/** What its callers admit to. */
export interface CallersReport {
  readonly acquires: number;
  /** Tokens kept, by entity and limit. */
  readonly kept: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly errors: readonly string[];
}

const LIMITS = [Limit.perMinute('rpm', 60_000), Limit.perMinute('tpm', 6_000_000)];
const kept: Record<string, Record<string, number>> = {};
const errors: string[] = [];
let acquires = 0;

/** Takes, then keeps, corrects or gives back; notes what it has kept in the end. */
async function callOnce(limiter: RateLimiter, entity: string): Promise<void> {
  const verdict = await limiter.tryAcquire(entity, 'gpt-4', { rpm: 1, tpm: 100 }, { limits: LIMITS });
  if (!verdict.allowed) return;
  acquires += 1;
  const { lease } = verdict;
  const way = Math.random();
  if (way < 0.3) await lease.adjust({ tpm: Math.floor(Math.random() * 200) - 90 });
  if (way > 0.8) await lease.release();
  else await lease.commit();
  const sums = kept[entity] ?? {};
  for (const [limit, tokens] of Object.entries(lease.consumed)) sums[limit] = (sums[limit] ?? 0) + tokens;
  kept[entity] = sums;
}

process.once('message', async (task: CallersTask) => {
  const limiter = await RateLimiter.open(task.connection);
  const untilMs = Date.now() + task.durationMs;
  const caller = async (_: unknown, index: number): Promise<void> => {
    while (Date.now() < untilMs) {
      try {
        await callOnce(limiter, task.entities[index % task.entities.length] ?? 'key');
      } catch (error) {
        errors.push(isMillraceError(error) ? `${error.code}: ${error.message}` : String(error));
      }
      await sleepFor(task.restMs);
    }
  };
  await Promise.all(Array.from({ length: task.callers }, caller));
  await limiter.close();
  const report: CallersReport = { acquires, kept, errors };
  process.send?.(report, () => process.disconnect());
});
