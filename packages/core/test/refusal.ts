import { MillraceError } from '../src/index.js';

/** Runs what must be refused, and returns the refusal. */
export function refusal(attempt: () => unknown): MillraceError {
  try {
    attempt();
  } catch (error) {
    if (error instanceof MillraceError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}
