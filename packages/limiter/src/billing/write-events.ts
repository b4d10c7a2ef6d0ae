import { StoreFailure } from '@millrace/core';
import type { ItemTable } from '../admin/item-table.js';
import { keysOf, type PendingEvent, writesOf } from './usage-event.js';

/** What events are written with. */
export interface WriteParts {
  readonly items: Pick<ItemTable, 'transact' | 'get'>;
  readonly nowMs: () => number;
  readonly retentionDays: number;
}

/** What became of a batch: how many events are new, and of how many the name had been recorded before. */
export interface WriteResult {
  readonly recorded: number;
  readonly repeated: number;
}

/** Nobody deletes an event, so a refused transaction always meets one that is there, but for one that expires just then. */
const MAX_VAIN_TRIES = 3;

/**
 * Records events, each once, however often this is called for them, by whichever process, and whatever a call before came to:
 * a transaction happens as a whole or not at all, and not if one of its events is there. Then those that are there are left
 * out, and the others sent again. An event of which an earlier try was carried out after all counts as new.
 *
 * @throws StoreFailure if there was no answer; the events may have been recorded or not
 */
export async function writeEvents({ items, nowMs, retentionDays }: WriteParts, events: readonly PendingEvent[]): Promise<WriteResult> {
  let [left, recorded, repeated, vainTries] = [events, 0, 0, 0];
  while (left.length > 0) {
    if ((await items.transact(writesOf(left, nowMs(), retentionDays))) === 'done') return { recorded: recorded + left.length, repeated };
    const found = await items.get(left.flatMap(keysOf));
    let place = 0;
    const others: PendingEvent[] = [];
    for (const event of left) {
      const [own, name] = found.slice(place, place + keysOf(event).length);
      place += keysOf(event).length;
      if (own !== undefined) recorded += 1;
      else if (name !== undefined) repeated += 1;
      else others.push(event);
    }
    vainTries = others.length === left.length ? vainTries + 1 : 0;
    if (vainTries === MAX_VAIN_TRIES)
      throw new StoreFailure('throttled', 'no', `${left.length} usage events were refused, and are not there`);
    left = others;
  }
  return { recorded, repeated };
}
