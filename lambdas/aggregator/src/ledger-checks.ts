import {
  ATTRIBUTE,
  type ItemKey,
  type OpenPeriod,
  parseUncheckedPeriod,
  parseUsageKey,
  SCHEMA_VERSION,
  uncheckedPeriodKey,
  uncheckedPeriodsUntil,
} from '@millrace/core';
import {
  type Administration,
  type CheckParts,
  type CheckSettings,
  checkPeriod,
  type IndexPlace,
  type Item,
  type ItemWrite,
  keyOf,
  type PeriodSlice,
  zoneOnce,
} from '@millrace/limiter/admin';
import { markExpiresSec } from './mark-life.js';
import { type WalkEnding, type WalkedNamespace, walkMarks } from './mark-walk.js';
import type { SealMetrics } from './ports.js';

/** How much is checked in one round. */
interface CheckBounds {
  readonly maxPeriods: number;
  readonly hasTime: () => boolean;
}

/** How far the check of a period has come, as its mark says. */
interface Progress {
  /** How many rounds have noted something here; each notes only what it read. */
  readonly turn: number;
  /** How many rounds in a row could not read on. */
  readonly tries: number;
  readonly place?: IndexPlace;
}

/** So many findings are told one by one in a round, and so many failures; all of them are counted. */
const MOST_LINES = 100;
/** Entities that could not be read in so many rounds are passed over. */
const MOST_TRIES = 3;
const TURN = 'turn';

/**
 * Checks the ledger of days that are sealed: of each entity that used the resource in the day, whether anything is missing. A day has a
 * mark until it is checked, which takes the place of its open one; so a day is checked by one round, or, where it is too large for one,
 * by several, each of which goes on where the mark says.
 *
 * What was found is told once the mark says that it was looked at, so of rounds that run beside each other, or again, one tells it. Only
 * a round that dies between the two tells nothing; one that never hears whether the mark was written tells it nevertheless.
 *
 * Nothing that goes wrong here is thrown: it is told as trouble, and counted.
 */
export class LedgerChecks {
  readonly #parts: Administration;
  readonly #metrics: SealMetrics;
  readonly #settings: CheckSettings;
  readonly #bounds: CheckBounds;
  readonly #sums = { checked: 0, unchecked: 0, findings: 0, gaps: 0, inFlight: 0 };
  #periods = 0;
  #lines = 0;
  #isCutShort = false;

  constructor(parts: Administration, metrics: SealMetrics, settings: CheckSettings, bounds: CheckBounds) {
    this.#parts = parts;
    this.#metrics = metrics;
    this.#settings = settings;
    this.#bounds = bounds;
  }

  /** Marks a day that is sealed as one to be checked, in the place of its open mark. False if that is still to be taken away. */
  async takeOver(openMark: ItemKey, period: OpenPeriod): Promise<boolean> {
    if (period.type !== 'day') return false;
    try {
      const outcome = await this.#parts.items.transact([
        { kind: 'delete', key: openMark, when: [{ attribute: ATTRIBUTE.partitionKey, is: 'present' }] },
        {
          kind: 'put',
          item: markItem(period, { turn: 0, tries: 0 }),
          when: [{ attribute: ATTRIBUTE.partitionKey, is: 'absent' }],
        },
      ]);
      // Else another round was here before, or a late record has opened a day again that is still to be checked.
      return outcome === 'done';
    } catch (error) {
      this.#fail(openMark.sort, error);
      return false;
    }
  }

  /** Checks what there is time for, and tells what it came to. True if it has come to the end. */
  async run(): Promise<boolean> {
    let ending: WalkEnding = 'cut short';
    try {
      // Before where the last round ended there may be days that were not looked at to their end.
      do ending = await this.#walk();
      while (ending === 'rest');
    } catch (error) {
      this.#fail('the days to be checked', error);
    }
    this.#tellSums();
    return ending === 'all' && !this.#isCutShort;
  }

  /** Without time not even the place is read, nor noted. */
  async #walk(): Promise<WalkEnding> {
    const { maxPeriods, hasTime } = this.#bounds;
    if (!hasTime()) return 'cut short';
    return walkMarks(this.#parts, {
      cursor: 'checks',
      due: uncheckedPeriodsUntil,
      begin: (namespace) => this.#checkIn(namespace),
      hasTime,
      mayBegin: () => hasTime() && this.#periods < maxPeriods,
    });
  }

  #checkIn(namespace: WalkedNamespace): (mark: Item) => Promise<void> {
    const { items, nowMs } = this.#parts;
    const zone = zoneOnce({ items, namespaceId: namespace.id });
    const parts: CheckParts = { ...this.#settings, items, nowMs, namespaceId: namespace.id, zone };
    return async (mark) => {
      this.#periods += 1;
      try {
        await this.#check(parts, namespace, mark);
      } catch (error) {
        this.#fail(keyOf(mark).sort, error);
      }
    };
  }

  async #check(parts: CheckParts, namespace: WalkedNamespace, mark: Item): Promise<void> {
    const period = parseUncheckedPeriod(keyOf(mark));
    if (period === undefined) throw new Error(`"${keyOf(mark).sort}" marks no period`);
    const progress = progressOf(mark);
    const { place, tries } = progress;
    const slice = await checkPeriod(parts, period, { place, passOver: tries >= MOST_TRIES, mayGoOn: this.#bounds.hasTime });
    if (slice.next !== undefined && slice.stoppedBy === undefined) this.#isCutShort = true;
    if (!(await this.#note(period, progress, slice))) return;
    this.#tell(namespace, period, slice);
  }

  /** Writes down how far the check came. False if another round has written it down before. */
  async #note(period: OpenPeriod, { turn, tries, place }: Progress, slice: PeriodSlice): Promise<boolean> {
    const { next, stoppedBy } = slice;
    const hasMoved =
      next?.name !== (place?.name ?? 0) || next.after?.sort !== place?.after?.sort || next.after?.partition !== place?.after?.partition;
    if (next !== undefined && !hasMoved && stoppedBy === undefined) return true;
    const when = [{ attribute: TURN, equals: turn }] as const;
    const stuck = stoppedBy === undefined ? 0 : (hasMoved ? 0 : tries) + 1;
    const write: ItemWrite =
      next === undefined
        ? { kind: 'delete', key: uncheckedPeriodKey(period), when }
        : { kind: 'put', item: markItem(period, { turn: turn + 1, tries: stuck, place: next }), when };
    try {
      return (await this.#parts.items.transact([write])) === 'done';
    } catch (error) {
      // It may have been written. What was found is told rather twice than never.
      this.#fail(keyOfPeriod(period), error);
      return true;
    }
  }

  #tell({ name: namespace }: WalkedNamespace, period: OpenPeriod, slice: PeriodSlice): void {
    const { checked, findings, gaps, inFlight, found, failures, stoppedBy } = slice;
    this.#sums.checked += checked;
    this.#sums.findings += findings;
    this.#sums.gaps += gaps;
    this.#sums.inFlight += inFlight;
    for (const finding of found) if (this.#mayTell()) this.#metrics.finding({ namespace, finding });
    for (const { key, error } of failures) {
      const entity = parseUsageKey(key.partition, key.sort)?.bucket.entity ?? key.partition;
      this.#fail(`${keyOfPeriod(period)}, entity "${entity}", is passed over`, error);
    }
    if (stoppedBy !== undefined) this.#fail(keyOfPeriod(period), stoppedBy);
  }

  #fail(where: string, error: unknown): void {
    this.#sums.unchecked += 1;
    const message = error instanceof Error ? error.message : String(error);
    if (this.#mayTell()) this.#metrics.trouble({ what: 'check', message: `${where}: ${message}`, records: 0 });
  }

  #mayTell(): boolean {
    this.#lines += 1;
    return this.#lines <= MOST_LINES;
  }

  /** Nothing is said of rounds that looked at nothing, which are most: a 0 of theirs would say that all is well. */
  #tellSums(): void {
    const { checked, unchecked, findings, gaps, inFlight } = this.#sums;
    if (this.#lines > MOST_LINES) {
      const message = `${this.#lines - MOST_LINES} more were not told one by one: "millrace usage verify" tells all`;
      this.#metrics.trouble({ what: 'check', message, records: 0 });
    }
    if (checked + unchecked === 0) return;
    this.#metrics.ledger({ checked, unchecked, ...(checked === 0 ? {} : { findings, gaps, inFlight }) });
  }
}

function keyOfPeriod(period: OpenPeriod): string {
  return uncheckedPeriodKey(period).sort;
}

function markItem(period: OpenPeriod, { turn, tries, place }: Progress): Item {
  const { partition, sort } = uncheckedPeriodKey(period);
  return {
    [ATTRIBUTE.partitionKey]: partition,
    [ATTRIBUTE.sortKey]: sort,
    [ATTRIBUTE.schemaVersion]: SCHEMA_VERSION,
    [ATTRIBUTE.ttlSec]: markExpiresSec(period.endMs),
    [TURN]: turn,
    tries,
    ...(place === undefined ? {} : { place }),
  };
}

function progressOf(mark: Item): Progress {
  const place = mark['place'] as IndexPlace | undefined;
  return { turn: Number(mark[TURN]), tries: Number(mark['tries']), ...(place === undefined ? {} : { place }) };
}
