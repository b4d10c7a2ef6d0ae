import { type OpenPeriod, openPeriodKey } from '@millrace/core';
import { windowOf } from '@millrace/ledger';
import type { Piece } from './piece.js';
import type { PeriodMarks } from './ports.js';

/** A mark for each period in which a window of the batch lies. Where one fails, its records come again. */
export function periodPieces(
  windows: readonly Piece[],
  zones: ReadonlyMap<string, string>,
  marks: PeriodMarks | undefined,
): readonly Piece[] {
  if (marks === undefined) return [];
  const periods = new Map<string, { readonly period: OpenPeriod; readonly windows: Piece[] }>();
  for (const window of windows) {
    // A seal is of what buckets gave out.
    if (window.change === undefined || window.change.ref.source === 'events') continue;
    const { bucket, type, startMs } = window.change.ref;
    if (!marks.types.includes(type)) continue;
    const { namespaceId, resource } = bucket;
    const { endMs } = windowOf(startMs, zones.get(namespaceId) ?? 'UTC', type);
    const period: OpenPeriod = { namespaceId, resource, type, startMs, endMs };
    const { partition, sort } = openPeriodKey(period);
    const name = `${partition}\n${sort}`;
    const known = periods.get(name);
    if (known === undefined) periods.set(name, { period, windows: [window] });
    else known.windows.push(window);
  }
  return [...periods.values()].map(({ period, windows: inPeriod }) => ({
    what: 'period',
    entries: () => inPeriod.flatMap(({ entries }) => entries()),
    write: async () => {
      await marks.mark(period);
      return 'known';
    },
  }));
}
