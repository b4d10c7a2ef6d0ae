import { MillraceError, usageKey, type WireItem } from '@millrace/core';
import { holdsChange, mergeChange, type WindowChange } from './change.js';
import type { Retention } from './retention.js';
import { type WindowUpdateWire, windowFromItem, windowRewriteRequest, windowWriteRequest } from './window-wire.js';

/** The answer to an update: a condition that did not hold is an answer, and comes with the item that it met. */
export type WindowReply = { readonly isRefused: false } | { readonly isRefused: true; readonly item?: WireItem };

/** Sends one update, once or several times over: the ledger's updates may arrive more than once. Throws what is no answer. */
export type SendWindowUpdate = (request: WindowUpdateWire) => Promise<WindowReply>;

/** Two writers of one window meet only when the stream gives out one item's records twice at once; many in a row never do. */
const MAX_TRIES = 8;

/**
 * Widens a window by conditional updates: one where its records are new, or it is; else one more for every writer who
 * was faster; none more where the window says all already.
 *
 * @throws MillraceError `CONFLICT` when others were faster every time. The batch comes again.
 */
export async function widenBy(
  send: SendWindowUpdate,
  table: string,
  change: WindowChange,
  retention: Retention,
): Promise<'written' | 'known'> {
  let request = windowWriteRequest(table, change, retention);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const reply = await send(request);
    if (!reply.isRefused) return 'written';
    // An item that has gone meanwhile is one that was never there.
    if (reply.item === undefined) {
      request = windowWriteRequest(table, change, retention);
      continue;
    }
    const known = windowFromItem(reply.item);
    if (holdsChange(known, change)) return 'known';
    request = windowRewriteRequest(table, known, mergeChange(known, change), retention);
  }
  throw new MillraceError('CONFLICT', `a usage window was changed by others ${MAX_TRIES} times in a row`, { data: usageKey(change.ref) });
}
