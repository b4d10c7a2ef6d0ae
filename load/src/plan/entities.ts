import type { PlannedEntity } from './scenario.js';
import type { RunSettings } from './settings.js';

/** The entity that a user acquires for where each has one of its own. */
export function userName(user: number): string {
  return `user-${user}`;
}

/** The parent of all users, in the variant with a cascade. */
export const SHARED_PARENT = 'project';

/** All users below one parent where settings ask for a cascade; else nobody, as an entity of its own needs no entry. */
export function familyOf({ cascade, users }: Pick<RunSettings, 'cascade' | 'users'>): readonly PlannedEntity[] {
  if (!cascade) return [];
  const children = Array.from({ length: users }, (_, index) => ({ id: userName(index + 1), parent: SHARED_PARENT }));
  return [{ id: SHARED_PARENT }, ...children];
}
