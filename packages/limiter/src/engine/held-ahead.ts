import type { BucketState } from '@millrace/core';
import type { Level } from './level.js';
import type { TakeParts } from './take.js';

/** The state of an item as it is for this process. */
export function ownView({ ahead }: Pick<TakeParts, 'ahead'>, place: Level, state: BucketState | undefined): BucketState | undefined {
  return ahead === undefined || state === undefined ? state : ahead.ownView(place, state);
}
