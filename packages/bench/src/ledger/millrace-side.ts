import { DynamoWindowStore, makeHandler, Sender } from '@millrace/aggregator-lambda';
import { parseUsageKey, type WireItem } from '@millrace/core';
import { DEFAULT_RETENTION, usageOf, windowFromItem } from '@millrace/ledger';
import { LIMIT, recordsOf } from './bucket-records.js';
import type { Side, SideWorld } from './side.js';
import { Sums, type Totals, windowTotal } from './totals.js';

const REQUEST_TIMEOUT_MS = 60_000;
/** What Lambda gives a function at most. */
const INVOCATION_MS = 900_000;

/**
 * The aggregator's own handler over its own store: it parses the records, folds them, and writes the windows. The zone is
 * known, as it is in a function that is warm; where metrics are printed is not measured.
 */
export function millraceSide({ client, table, concurrency, windowTypes }: SideWorld): Side {
  const handler = makeHandler({
    windows: new DynamoWindowStore(new Sender(client, REQUEST_TIMEOUT_MS), table, DEFAULT_RETENTION),
    zones: { zoneOf: async () => 'UTC' },
    metrics: {
      figures: () => undefined,
      trouble({ what, message }) {
        throw new Error(`the handler tells of trouble (${what}): ${message}`);
      },
    },
    clock: { nowMs: () => Date.now() },
    options: { applyConcurrency: concurrency, windowTypes },
  });
  return (share) => {
    const event = { Records: recordsOf(share) };
    return async () => {
      const { batchItemFailures: failures } = await handler(event, { getRemainingTimeInMillis: () => INVOCATION_MS });
      if (failures.length > 0) throw new Error(`the handler did not do ${failures.length} of ${event.Records.length} records`);
    };
  };
}

/** What the windows of a table hold. */
export function foundWindows(items: readonly WireItem[]): Totals {
  const sums = new Sums();
  for (const item of items) {
    if (parseUsageKey(item['PK']?.['S' as never] ?? '', item['SK']?.['S' as never] ?? '') === undefined) continue;
    const { ref, limits } = windowFromItem(item);
    for (const [limit, step] of limits) {
      const { used, returned } = usageOf(step);
      const name = (what: 'taken' | 'returned'): string =>
        windowTotal(ref.bucket.namespaceId, ref.bucket.entity, ref.type, ref.startMs, what) + (limit === LIMIT ? '' : ` of ${limit}`);
      sums.add(name('taken'), used);
      sums.add(name('returned'), returned);
    }
  }
  return sums.totals;
}
