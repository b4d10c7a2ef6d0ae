import { type CurrentOptions, type CurrentUsage, readCurrent } from './current.js';
import { readSnapshots, type SnapshotPage, type SnapshotsOptions } from './snapshots.js';
import { readSummary, type SummaryOptions, type UsageSummary } from './summary.js';
import { readTop, type TopOptions, type TopUsage } from './top.js';
import type { UsageParts } from './usage-parts.js';

/**
 * What entities have used: by the ledger, which the aggregator writes from the table's stream some seconds after it
 * happened, and, with {@link current}, by the buckets themselves. An ancestor that an acquire cascades to has usage of its own.
 */
export class Usage {
  readonly #parts: UsageParts;

  constructor(parts: UsageParts) {
    this.#parts = parts;
  }

  /**
   * What an entity used in each hour, day, week or month that begins in a half-open range, a page at a time. About one read
   * for each page. Windows are those of the namespace's time zone; a day on which clocks change has 23 or 25 hours.
   */
  snapshots(options: SnapshotsOptions): Promise<SnapshotPage> {
    return readSnapshots(this.#parts, options);
  }

  /** What an entity used in a time altogether, by resource and limit. */
  summary(options: SummaryOptions): Promise<UsageSummary> {
    return readSummary(this.#parts, options);
  }

  /** The entities that used most of a resource in a window. It reads the window of each entity that used any. */
  top(options: TopOptions): Promise<TopUsage> {
    return readTop(this.#parts, options);
  }

  /** What an entity has used by now, and what is left, without waiting for the ledger. */
  current(options: CurrentOptions): Promise<readonly CurrentUsage[]> {
    return readCurrent(this.#parts, options);
  }
}
