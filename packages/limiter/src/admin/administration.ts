import { type ConfigRef, checkName, StoreFailure, ValidationError } from '@millrace/core';
import type { ItemTable } from './item-table.js';

/** What the parts of administration share: where they write, whose writes they are, and who must hear of them. */
export interface Administration {
  readonly items: ItemTable;
  readonly namespaceId: string;
  readonly nowMs: () => number;
  /** A new ULID; later ones are larger. */
  readonly newEventId: () => string;
  /** Who writes, unless a call says otherwise. */
  readonly actor: string | undefined;
  /** Called with what was written, in this namespace unless another is named, so that the caches of this process forget it. */
  readonly onChange: (refs: readonly ConfigRef[], namespaceId?: string) => void;
  /** Runs one operation of a caller: refuses it if the limiter is closed, is waited for by `close`, throws public errors. */
  readonly run: <T>(operation: string, work: () => Promise<T>) => Promise<T>;
}

/** What any administrative write may be told. */
export interface ActorOptions {
  /** Who does it, for the audit log. @default the limiter's option `actor` */
  readonly actor?: string;
}

const MAX_CONFLICTS = 8;
const MAX_ACTOR_LENGTH = 256;

/** Checks the name of an actor; undefined where nobody said who it is. */
export function checkActor(parts: Pick<Administration, 'actor'>, options: ActorOptions): string | undefined {
  const { actor = parts.actor } = options;
  if (actor === undefined) return undefined;
  if (typeof actor !== 'string' || actor.length === 0 || actor.length > MAX_ACTOR_LENGTH)
    throw new ValidationError('option "actor"', `a string of 1 to ${MAX_ACTOR_LENGTH} characters`, actor);
  return checkName('actor', actor);
}

/** Reads, decides and writes; again from the start when another writer came in between (`turn` gives undefined). */
export async function inTurns<T>(operation: string, turn: () => Promise<T | undefined>): Promise<T> {
  for (let turns = 0; turns < MAX_CONFLICTS; turns += 1) {
    const result = await turn();
    if (result !== undefined) return result;
  }
  throw new StoreFailure('throttled', 'no', `cannot ${operation}: others changed it ${MAX_CONFLICTS} times in a row`);
}
