import { totalUsage, type UsageWindowItem, type WindowChange, type WindowStore } from '@millrace/ledger';
import type { Deed } from './recorded-stream.js';

/** Far from Greenwich by a half hour, and always as far: what falls into which window is told by arithmetic alone. */
export const ZONE = 'Asia/Kolkata';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const OFFSET_MS = 5.5 * HOUR_MS;

/** What was used and given back, by window and limit. */
export type Totals = Map<string, { used: number; returned: number }>;

/** When a window begins, by local time told as if it were that of Greenwich. */
const STARTS: Readonly<Record<string, (localMs: number) => number>> = {
  hour: (localMs) => Math.floor(localMs / HOUR_MS) * HOUR_MS,
  day: (localMs) => Math.floor(localMs / DAY_MS) * DAY_MS,
  // The first of January 1970 was a Thursday.
  week: (localMs) => (Math.floor((localMs / DAY_MS + 3) / 7) * 7 - 3) * DAY_MS,
  month: (localMs) => Date.UTC(new Date(localMs).getUTCFullYear(), new Date(localMs).getUTCMonth(), 1),
};

function add(totals: Totals, name: string, used: number, returned: number): void {
  const known = totals.get(name) ?? { used: 0, returned: 0 };
  totals.set(name, { used: known.used + used, returned: known.returned + returned });
}

function nameOf(entity: string, resource: string, type: string, startMs: number, limit: string): string {
  return [entity, resource, type, new Date(startMs).toISOString(), limit].join(' ');
}

/** What callers say that they did, added up one by one. It shares no line with the ledger. */
export function bruteForce(deeds: readonly Deed[]): Totals {
  const totals: Totals = new Map();
  for (const { entity, resource, atMs, used, returned } of deeds) {
    for (const [type, startOf] of Object.entries(STARTS)) {
      const startMs = startOf(atMs + OFFSET_MS) - OFFSET_MS;
      for (const limit of new Set([...Object.keys(used), ...Object.keys(returned)])) {
        add(totals, nameOf(entity, resource, type, startMs, limit), used[limit] ?? 0, returned[limit] ?? 0);
      }
    }
  }
  return totals;
}

/** The same, as windows have it. */
export function told(windows: readonly UsageWindowItem[]): Totals {
  const totals: Totals = new Map();
  for (const window of windows) {
    const { bucket, type, startMs } = window.ref;
    for (const [limit, { used, returned }] of totalUsage([window])) {
      add(totals, nameOf(bucket.entity, bucket.resource, type, startMs, limit), Number(used), Number(returned));
    }
  }
  return totals;
}

/** The names of which two do not say the same. */
export function differences(a: Totals, b: Totals): readonly string[] {
  return [...new Set([...a.keys(), ...b.keys()])].filter((name) => {
    const [one, other] = [a.get(name), b.get(name)];
    return one?.used !== other?.used || one?.returned !== other?.returned;
  });
}

/** A ledger that trusts the stream: it adds whatever comes, as often as it comes. */
export class AddingStore implements WindowStore {
  readonly totals: Totals = new Map();

  async widen(change: WindowChange): Promise<'written' | 'known'> {
    for (const [name, { used, returned }] of told([change])) add(this.totals, name, used, returned);
    return 'written';
  }
}
