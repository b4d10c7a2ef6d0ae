import { ATTRIBUTE, checkInteger, checkKeys, openPeriodsUntil, parseOpenPeriod, SCHEMA_VERSION } from '@millrace/core';
import { type Administration, type Item, keyOf, Namespaces, type SealParts, sealWindow, zoneOnce } from '@millrace/limiter/admin';
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

/** Where the next round goes on: behind a namespace, and there, if it still is the next, behind a mark. */
interface Place {
  readonly behindNamespace?: string;
  readonly namespaceId?: string;
  readonly behindMark?: string;
}

const CURSOR = { partition: '_/seals', sort: 'cursor' };
const MARKS_PER_PAGE = 100;
const DAY_MS = 86_400_000;
const ACTOR = 'aggregator';

/**
 * Makes the function that seals what is over, when a schedule invokes it: it reads which periods are marked and due, seals
 * each, and takes its mark away. A seal is written once, whoever comes first, and a mark only goes when its seal is there,
 * so a round may be ended anywhere, repeated, or run beside another one.
 *
 * A round ends when the time or its number of periods is used up; the next one goes on behind the last period that was
 * tried, so that a period which is too large for any invocation, or fails each time, keeps nobody else waiting.
 */
export function makeSealer({ administration, metrics, options = {} }: SealerParts): Sealer {
  const { lateMs, maxPeriods, reserveMs } = checkSealerOptions(options);
  return async (event, context) => {
    checkScheduleEvent(event);
    const startedMs = administration.nowMs();
    const hasTime = (): boolean => context.getRemainingTimeInMillis() > reserveMs;
    const round = new Round(administration, metrics, { lateMs, maxPeriods, hasTime });
    const isDone = await round.run();
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
  failed = 0;
  readonly #parts: Administration;
  readonly #metrics: SealMetrics;
  readonly #bounds: RoundBounds;
  /** The last mark that was tried in the namespace at hand. */
  #tried: string | undefined;

  constructor(parts: Administration, metrics: SealMetrics, bounds: RoundBounds) {
    this.#parts = parts;
    this.#metrics = metrics;
    this.#bounds = bounds;
  }

  /** Seals what it can. True if it has come to the end. */
  async run(): Promise<boolean> {
    const begun = await this.#readPlace();
    for await (const { id, behind } of this.#namespaces(begun?.behindNamespace)) {
      this.#tried = id === begun?.namespaceId ? begun.behindMark : undefined;
      if (await this.#sealIn(id)) continue;
      await this.#notePlace({
        namespaceId: id,
        ...(behind === undefined ? {} : { behindNamespace: behind }),
        ...(this.#tried === undefined ? {} : { behindMark: this.#tried }),
      });
      return false;
    }
    if (begun !== undefined) await this.#parts.items.deleteAll([CURSOR]);
    return true;
  }

  /** The active namespaces behind one, each with the name of the one before it. */
  async *#namespaces(from: string | undefined): AsyncGenerator<{ readonly id: string; readonly behind: string | undefined }> {
    const registry = new Namespaces(this.#parts);
    let [behind, after]: [string | undefined, string | undefined] = [from, from];
    do {
      const page = await registry.list(after === undefined ? {} : { after });
      for (const { name, id, state } of page.namespaces) {
        if (state === 'active') yield { id, behind };
        behind = name;
      }
      after = page.next;
    } while (after !== undefined);
  }

  /** Seals what is due in a namespace, the oldest first. False if there was no time for all. */
  async #sealIn(namespaceId: string): Promise<boolean> {
    const { items, nowMs } = this.#parts;
    const { lateMs, maxPeriods, hasTime } = this.#bounds;
    const parts: SealParts = { ...this.#parts, namespaceId, zone: zoneOnce({ items, namespaceId }), mayGoOn: hasTime };
    const due = { ...openPeriodsUntil(namespaceId, nowMs() - lateMs), pageSize: MARKS_PER_PAGE };
    for (;;) {
      if (!hasTime()) return false;
      const page = await items.query({ ...due, ...(this.#tried === undefined ? {} : { after: this.#tried }) });
      for (const mark of page.items) {
        if (!hasTime() || this.sealed + this.failed >= maxPeriods) return false;
        this.#tried = keyOf(mark).sort;
        await this.#seal(parts, mark);
      }
      if (page.next === undefined) return true;
    }
  }

  async #seal(parts: SealParts, mark: Item): Promise<void> {
    try {
      const period = parseOpenPeriod(keyOf(mark));
      if (period === undefined) throw new Error(`"${keyOf(mark).sort}" marks no period`);
      const { resource, type, startMs } = period;
      await sealWindow(parts, { resource, type, start: new Date(startMs), lateMs: this.#bounds.lateMs, actor: ACTOR });
      await this.#parts.items.deleteAll([keyOf(mark)]);
      this.sealed += 1;
    } catch (error) {
      this.failed += 1;
      const message = error instanceof Error ? error.message : String(error);
      this.#metrics.trouble({ what: 'seal', message: `${keyOf(mark).sort}: ${message}`, records: 0 });
    }
  }

  async #readPlace(): Promise<Place | undefined> {
    const [item] = await this.#parts.items.get([CURSOR]);
    return item?.['place'] as Place | undefined;
  }

  async #notePlace(place: Place): Promise<void> {
    const item: Item = {
      [ATTRIBUTE.partitionKey]: CURSOR.partition,
      [ATTRIBUTE.sortKey]: CURSOR.sort,
      [ATTRIBUTE.schemaVersion]: SCHEMA_VERSION,
      place,
    };
    await this.#parts.items.transact([{ kind: 'put', item }]);
  }
}
