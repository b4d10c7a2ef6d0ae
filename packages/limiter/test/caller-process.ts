import { isMillraceError, Limit, RateLimiter, type RateLimiterOptions } from '@millrace/limiter';

/** What a process of callers is told. */
export interface CallersTask {
  readonly connection: RateLimiterOptions;
  readonly entity: string;
  readonly limits: readonly Parameters<typeof Limit.of>[0][];
  readonly amounts: Readonly<Record<string, number>>;
  readonly callers: number;
  readonly durationMs: number;
  /** Only commit, or settle in every way there is. */
  readonly settling: 'commit' | 'every way';
}

/** What it has seen. */
export interface CallersReport {
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly acquires: number;
  readonly admitted: number;
  /** Tokens that the callers admit to have kept, by limit. */
  readonly kept: Readonly<Record<string, number>>;
  readonly errors: readonly string[];
}

const kept: Record<string, number> = {};
const errors: string[] = [];
let [acquires, admitted] = [0, 0];

/** How long a caller goes on after its time if nothing refuses it. */
const OVERTIME_MS = 5_000;

/**
 * Acquires, and settles in one of the ways; what it has kept in the end is what it admits to. Returns how long to pause
 * after a refusal, and undefined if there was none.
 */
async function callOnce(limiter: RateLimiter, task: CallersTask, limits: readonly Limit[]): Promise<number | undefined> {
  acquires += 1;
  const way = task.settling === 'commit' ? 0 : Math.random();
  const controller = new AbortController();
  if (way > 0.85) setTimeout(() => controller.abort(), Math.random() * 4);
  const options = { limits, ...(way > 0.85 ? { signal: controller.signal } : {}) };
  const verdict = await limiter.tryAcquire(task.entity, 'model', task.amounts, options);
  if (!verdict.allowed) return Math.min(verdict.retryAfterMs, 50) * Math.random();
  admitted += 1;

  const { lease } = verdict;
  if (way > 0.25 && way < 0.45) await lease.adjust(scaled(task.amounts, 0.5));
  if (way > 0.45 && way < 0.65) await lease.adjust(scaled(task.amounts, -0.5));
  if (way > 0.1 && way < 0.25) await lease.release();
  else if (way > 0.65 && way < 0.75) await throwUnder(limiter, task, limits);
  if (!lease.settled) await lease.commit();
  for (const [limit, tokens] of Object.entries(lease.consumed)) kept[limit] = (kept[limit] ?? 0) + tokens;
  return undefined;
}

async function throwUnder(limiter: RateLimiter, task: CallersTask, limits: readonly Limit[]): Promise<void> {
  const thrown = new Error('the work failed');
  try {
    await limiter.withLease(task.entity, 'model', task.amounts, () => Promise.reject(thrown), { limits });
  } catch (error) {
    if (error !== thrown && !(isMillraceError(error) && error.code === 'RATE_LIMIT_EXCEEDED')) throw error;
  }
}

function scaled(amounts: Readonly<Record<string, number>>, factor: number): Record<string, number> {
  return Object.fromEntries(Object.entries(amounts).map(([limit, tokens]) => [limit, Math.trunc(tokens * factor)]));
}

process.once('message', async (task: CallersTask) => {
  const limits = task.limits.map((limit) => Limit.of(limit));
  const limiter = await RateLimiter.open(task.connection);
  const startedAtMs = Date.now();
  let endedAtMs = startedAtMs;
  const caller = async (): Promise<void> => {
    // It ends with a refusal, so that whatever flowed back until then was there to be taken, however slow the machine is.
    for (let isRefused = false; ; ) {
      const overMs = Date.now() - startedAtMs - task.durationMs;
      if ((overMs > 0 && isRefused) || overMs > OVERTIME_MS) return;
      try {
        const pauseMs = await callOnce(limiter, task, limits);
        isRefused = pauseMs !== undefined;
        endedAtMs = Math.max(endedAtMs, Date.now());
        await new Promise((resolve) => setTimeout(resolve, pauseMs ?? 0));
      } catch (error) {
        if (!isMillraceError(error) || error.code !== 'ABORTED') errors.push(String(error));
      }
    }
  };
  await Promise.all(Array.from({ length: task.callers }, caller));
  // An aborted acquire gives back behind its caller's back; closing waits for that.
  await limiter.close();
  const report: CallersReport = { startedAtMs, endedAtMs, acquires, admitted, kept, errors };
  process.send?.(report, () => process.disconnect());
});
