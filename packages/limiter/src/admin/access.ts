import { ValidationError } from '@millrace/core';
import type { Administration } from './administration.js';

const registered = new WeakMap<object, Administration>();

/** Remembers what an open limiter administers with. Not on the limiter itself: who acquires must not meet it. */
export function registerAdministration(limiter: object, parts: Administration): void {
  registered.set(limiter, parts);
}

/** What an open limiter administers with, for tools that write more than its own methods do. */
export function administrationOf(limiter: object): Administration {
  const parts = typeof limiter === 'object' && limiter !== null ? registered.get(limiter) : undefined;
  if (parts === undefined) throw new ValidationError('limiter', 'an open RateLimiter of this copy of the package', limiter);
  return parts;
}
