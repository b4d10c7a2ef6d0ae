import type { UsageEvent } from '../billing/usage-event.js';
import { type CurrentOptions, type CurrentUsage, readCurrent } from './current.js';
import { type EventPage, type EventsOptions, type FindEventOptions, findEvent, readEvents } from './events.js';
import { checkSeal, type SealCheck, type SealName, type SealOptions, sealWindow, type UsageSeal } from './seal.js';
import { readSnapshots, type SnapshotPage, type SnapshotsOptions } from './snapshots.js';
import { readSummary, type SummaryOptions, type UsageSummary } from './summary.js';
import { readTop, type TopOptions, type TopUsage } from './top.js';
import { repairUsage, verifyUsage } from './trust.js';
import type { RepairUsageOptions, UsageRepair, UsageVerdict, VerifyUsageOptions } from './trust-options.js';
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

  /**
   * The committed leases that were recorded of an entity and resource, one by one, in a half-open range of time, a page at a time:
   * see the option `billing`. One read for each page. Those that still wait in some process are not there yet.
   */
  events(options: EventsOptions): Promise<EventPage> {
    return readEvents(this.#parts, options);
  }

  /** The recorded lease of an idempotency key; undefined where there is none. Two reads. */
  findEvent(options: FindEventOptions): Promise<UsageEvent | undefined> {
    return findEvent(this.#parts, options);
  }

  /** What an entity used in a time altogether, by resource and limit. At most five reads for each resource. */
  summary(options: SummaryOptions): Promise<UsageSummary> {
    return readSummary(this.#parts, options);
  }

  /** The entities that used most of a resource in a window. It reads the window of each entity that used any. */
  top(options: TopOptions): Promise<TopUsage> {
    return readTop(this.#parts, options);
  }

  /**
   * Whether the ledger is whole: consecutive windows join, hours add up to days and days to months, and what buckets have
   * counted is booked. Writes nothing. Reads all windows of the entities that are looked at.
   */
  verify(options: VerifyUsageOptions = {}): Promise<UsageVerdict> {
    return verifyUsage(this.#parts, options);
  }

  /**
   * Books what is missing, each window by a conditional write, so that it may be repeated, or done by many at once, while
   * usage comes in. One read and one transaction for each window that is changed; each leaves an event in the audit log.
   */
  repair(options: RepairUsageOptions = {}): Promise<UsageRepair> {
    return repairUsage(this.#parts, options);
  }

  /**
   * Writes down what a window of a resource that is over came to. What was sealed once keeps its seal. Reads the window of each entity
   * that used the resource, and makes one transaction: of the seal, and of its event in the audit log.
   *
   * @throws ValidationError for a window into which records may still come
   */
  seal(options: SealOptions): Promise<UsageSeal> {
    return sealWindow(this.#parts, options);
  }

  /**
   * Whether a sealed window still is what it was. Reads what sealing it read.
   *
   * @throws MillraceError `NOT_SEALED` if it was never sealed
   */
  checkSeal(options: SealName): Promise<SealCheck> {
    return checkSeal(this.#parts, options);
  }

  /**
   * What an entity has used by now, and what is left, without waiting for the ledger. A read for each hundred buckets, one more for each
   * three that were ever spread, and for each resource those of `available`.
   */
  current(options: CurrentOptions): Promise<readonly CurrentUsage[]> {
    return readCurrent(this.#parts, options);
  }
}
