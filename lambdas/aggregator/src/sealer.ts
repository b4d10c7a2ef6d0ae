import { checkInteger, checkKeys, openPeriodsUntil, parseOpenPeriod } from '@millrace/core';
import { type Administration, type CheckSettings, type Item, keyOf, type SealParts, sealWindow, zoneOnce } from '@millrace/limiter/admin';
import { LedgerChecks } from './ledger-checks.js';
import { type WalkEnding, type WalkedNamespace, walkMarks } from './mark-walk.js';
import type { SealMetrics } from './ports.js';
import { checkScheduleEvent } from './schedule-event.js';
import type { InvocationContext } from './stream-event.js';

/** How a round of sealing is bounded. */
export interface SealerOptions {
  /** How long after its end a window may still be written to, from 0 to 604 800 000. @default a day, as the stream keeps records for one */
  readonly lateMs?: number;
  /** The most periods of one round, from 1 to 100 000. @default 1 000 */
  readonly maxPeriods?: number;
  /** With less time than this left, in milliseconds, nothing more is begun. @default 5 000 */
  readonly reserveMs?: number;
}

/** What a round of sealing works with. */
export interface SealerParts {
  /** Of the table as a whole. */
  readonly administration: Administration;
  readonly metrics: SealMetrics;
  /** By what the ledger of each day that is sealed is checked. @default no ledger is */
  readonly checks?: CheckSettings;
  readonly options?: SealerOptions;
}

/** What became of a round. */
export interface SealAnswer {
  readonly sealed: number;
  readonly failed: number;
  /** False where the next round goes on. */
  readonly isDone: boolean;
}

export type Sealer = (event: unknown, context: InvocationContext) => Promise<SealAnswer>;

const DAY_MS = 86_400_000;
const ACTOR = 'aggregator';

/**
 * Makes the function that seals what is over, when a schedule invokes it: it reads which periods are marked and due, seals
 * each, and takes its mark away. A seal is written once, whoever comes first, and a mark only goes when its seal is there,
 * so a round may be ended anywhere, repeated, or run beside another one.
 *
 * A round ends when the time or its number of periods is used up; the next one goes on behind the last period that was
 * tried, so that a period which is too large for any invocation, or fails each time, keeps nobody else waiting.
 *
 * With what time is then left it checks the ledger of the days that are sealed: see {@link LedgerChecks}.
 */
export function makeSealer({ administration, metrics, checks, options = {} }: SealerParts): Sealer {
  const { lateMs, maxPeriods, reserveMs } = checkSealerOptions(options);
  return async (event, context) => {
    checkScheduleEvent(event);
    const startedMs = administration.nowMs();
    const hasTime = (): boolean => context.getRemainingTimeInMillis() > reserveMs;
    const bounds = { lateMs, maxPeriods, hasTime };
    const ledger = checks === undefined ? undefined : new LedgerChecks(administration, metrics, checks, bounds);
    const round = new Round(administration, metrics, bounds, ledger);
    const isSealed = await round.run();
    const isChecked = ledger === undefined || (await ledger.run());
    const isDone = isSealed && isChecked;
    metrics.seals({
      periodsSealed: round.sealed,
      periodsFailed: round.failed,
      isCutShort: !isDone,
      durationMs: Math.max(0, administration.nowMs() - startedMs),
    });
    return { sealed: round.sealed, failed: round.failed, isDone };
  };
}

function checkSealerOptions(options: SealerOptions): Required<SealerOptions> {
  checkKeys('options', options, ['lateMs', 'maxPeriods', 'reserveMs']);
  const { lateMs = DAY_MS, maxPeriods = 1_000, reserveMs = 5_000 } = options;
  return {
    lateMs: checkInteger('option "lateMs"', lateMs, 0, 7 * DAY_MS),
    maxPeriods: checkInteger('option "maxPeriods"', maxPeriods, 1, 100_000),
    reserveMs: checkInteger('option "reserveMs"', reserveMs, 0, 900_000),
  };
}

interface RoundBounds {
  readonly lateMs: number;
  readonly maxPeriods: number;
  readonly hasTime: () => boolean;
}

/** One round over the namespaces. */
class Round {
  sealed = 0;
  /** What was tried in vain: not again in this round. */
  readonly #failed = new Set<string>();
  #isCutShort = false;
  readonly #parts: Administration;
  readonly #metrics: SealMetrics;
  readonly #bounds: RoundBounds;
  readonly #ledger: LedgerChecks | undefined;

  constructor(parts: Administration, metrics: SealMetrics, bounds: RoundBounds, ledger: LedgerChecks | undefined) {
    this.#parts = parts;
    this.#metrics = metrics;
    this.#bounds = bounds;
    this.#ledger = ledger;
  }

  get failed(): number {
    return this.#failed.size;
  }

  /** Seals what it can, the oldest first. True if it has come to the end. */
  async run(): Promise<boolean> {
    const { lateMs, maxPeriods, hasTime } = this.#bounds;
    const isWithin = (): boolean => this.sealed + this.#failed.size < maxPeriods;
    let ending: WalkEnding;
    // Behind the end of a turn that rounds before this one began there may be more: it is due since then.
    do {
      ending = await walkMarks(this.#parts, {
        cursor: 'cursor',
        due: (namespaceId, atMs) => openPeriodsUntil(namespaceId, atMs - lateMs),
        begin: (namespace) => this.#sealIn(namespace),
        hasTime,
        mayBegin: (mark) => hasTime() && (isWithin() || this.#failed.has(nameOf(mark))),
      });
    } while (ending === 'rest');
    return ending === 'all' && !this.#isCutShort;
  }

  #sealIn({ id: namespaceId }: WalkedNamespace): (mark: Item) => Promise<void> {
    const { items } = this.#parts;
    const parts: SealParts = { ...this.#parts, namespaceId, zone: zoneOnce({ items, namespaceId }), mayGoOn: this.#bounds.hasTime };
    return (mark) => this.#seal(parts, mark);
  }

  async #seal(parts: SealParts, mark: Item): Promise<void> {
    const key = keyOf(mark);
    if (this.#failed.has(nameOf(mark))) return;
    try {
      const period = parseOpenPeriod(key);
      if (period === undefined) throw new Error(`"${key.sort}" marks no period`);
      const { resource, type, startMs } = period;
      await sealWindow(parts, { resource, type, start: new Date(startMs), lateMs: this.#bounds.lateMs, actor: ACTOR });
      // Without time the mark stays: the next round finds the seal, and takes it away.
      if (!this.#bounds.hasTime()) this.#isCutShort = true;
      else if (!(await this.#ledger?.takeOver(key, period))) await this.#parts.items.deleteAll([key]);
      this.sealed += 1;
    } catch (error) {
      this.#failed.add(nameOf(mark));
      if (!this.#bounds.hasTime()) this.#isCutShort = true;
      const message = error instanceof Error ? error.message : String(error);
      this.#metrics.trouble({ what: 'seal', message: `${key.sort}: ${message}`, records: 0 });
    }
  }
}

function nameOf(mark: Item): string {
  const { partition, sort } = keyOf(mark);
  return `${partition}\n${sort}`;
}
