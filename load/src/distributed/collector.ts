import { totalmem } from 'node:os';
import type { RunSettings } from '../plan/settings.js';

const MB = 2 ** 20;
/** What lives in k6 before any user does, and what each user and each further caller of it adds: measured, see ADR 0024. */
const [BASE_MB, USER_MB, CALLER_MB] = [15, 1, 0.1];
/** So much garbage may wait, or so large a share of the memory there is. */
const [SPARE_MB, SPARE_SHARE] = [256, 1 / 8];
/** Go's own value; and one beyond which nothing is gained. */
const [LEAST, MOST] = [100, 400];

/** Whose turns one k6 makes. */
type Crowd = Pick<RunSettings, 'users' | 'callers'>;

/**
 * Lets Go's collector wait until there is some garbage. By itself it waits for as much as lives: with ten users that is 25 MB,
 * and it then works nearly all the time, for a quarter of what a turn takes. With hundreds of users it is left as it is.
 * Whoever has set `GOGC` is obeyed.
 */
export function collectorVariables(crowd: Crowd, environment: NodeJS.ProcessEnv, memoryMb = thisMemoryMb()): NodeJS.ProcessEnv {
  if (environment['GOGC'] !== undefined) return {};
  const { users, callers } = crowd;
  const livingMb = BASE_MB + users * (USER_MB + (callers - 1) * CALLER_MB);
  const percent = (100 * Math.min(SPARE_MB, memoryMb * SPARE_SHARE)) / livingMb;
  return { GOGC: `${Math.round(Math.min(MOST, Math.max(LEAST, percent)))}` };
}

function thisMemoryMb(): number {
  // A container has less than its host. Without a bound it is told 0, or more than there is.
  const bound = process.constrainedMemory();
  return Math.min(totalmem(), bound === 0 ? Number.POSITIVE_INFINITY : bound) / MB;
}
