import { type Limit, ValidationError, WINDOW_TYPES, type WindowType } from '@millrace/core';
import { type WindowChange, windowOf } from '@millrace/ledger';
import type { EventSink, Metrics, ThresholdEvent, UnsentEvents } from './ports.js';
import { sideBySide } from './turns.js';

/** The limits that are stored for an entity on a resource; none where no level has any. */
export interface LimitsReader {
  limitsOf(namespaceId: string, entity: string, resource: string): Promise<readonly Limit[]>;
}

/** Names the usage of an entity of a resource in a window. */
export interface UsagePlace {
  readonly namespaceId: string;
  readonly entity: string;
  readonly resource: string;
  readonly type: WindowType;
  readonly startMs: number;
}

/** What an entity used of a resource in a window, over all shards and eras, by limit. */
export interface UsageReader {
  usageOf(place: UsagePlace): Promise<ReadonlyMap<string, number>>;
}

/** What a watch over thresholds is made of. */
export interface ThresholdParts {
  /** The share of what a limit lets through in a window from which on an event is due, above 0 and up to 1. @default 0.8 */
  readonly ratio?: number;
  readonly limits: LimitsReader;
  readonly usage: UsageReader;
  /** @default entities are counted, and no event is sent */
  readonly events?: EventSink;
  readonly atOnce?: number;
  /** The windows that are kept. @default all four */
  readonly windowTypes?: readonly WindowType[];
}

const HOUR_MS = 3_600_000;
/** Nothing is longer than a month, so that takes whatever is left. */
const LENGTHS_MS: Readonly<Record<WindowType, number>> = {
  hour: HOUR_MS,
  day: 24 * HOUR_MS,
  week: 7 * 24 * HOUR_MS,
  month: Number.POSITIVE_INFINITY,
};
const MAX_REMEMBERED = 10_000;
/** Ten requests' worth, so that a bus that takes nothing costs no batch its time. */
const MAX_WAITING = 100;

/**
 * The type of window in which a limit is watched: of those that are kept, the shortest that is at least as long as its period.
 * In a shorter one, using up the limit at once, as one may, would look like many times what it allows. Undefined where none of
 * them is: the limit is then not watched.
 */
export function watchedType({ periodMs }: Pick<Limit, 'periodMs'>, kept: readonly WindowType[] = WINDOW_TYPES): WindowType | undefined {
  return WINDOW_TYPES.find((type) => kept.includes(type) && periodMs <= LENGTHS_MS[type]);
}

/**
 * Looks for entities that have used much of what a limit lets through in a window: the tokens that its rate brings back
 * in all of the window. No image says so: a bucket holds what was used, and neither its capacity nor where the window
 * began. So it reads the stored limits, which its reader may remember, and the usage of each window that was written.
 *
 * It only tells. If it fails, that is said, and the batch is done all the same. A process sends an event once, and tries again with
 * its next batch where it was not taken; another process, or a later one, may send it again, with the same id.
 */
export class ThresholdWatch {
  readonly #parts: Required<Omit<ThresholdParts, 'events'>> & Pick<ThresholdParts, 'events'>;
  readonly #sent = new Set<string>();
  /** Events that were not taken. Whoever has used up a limit writes nothing more, so nothing would find them again. */
  readonly #waiting = new Map<string, ThresholdEvent>();

  constructor(parts: ThresholdParts) {
    const { ratio = 0.8, atOnce = 50, windowTypes = WINDOW_TYPES } = parts;
    if (typeof ratio !== 'number' || !(ratio > 0 && ratio <= 1)) {
      throw new ValidationError('threshold ratio', 'above 0 and at most 1', ratio);
    }
    this.#parts = { ...parts, ratio, atOnce, windowTypes };
  }

  /** Looks at the windows that were written; tells how many entities are beyond a threshold. */
  async look(
    changes: readonly WindowChange[],
    zones: ReadonlyMap<string, string>,
    mayBegin: () => boolean,
    metrics: Metrics,
  ): Promise<number> {
    const places = new Map<string, { readonly place: UsagePlace; readonly limits: Set<string> }>();
    for (const { ref, limits } of changes) {
      // What was billed was taken from a bucket before.
      if (ref.source === 'events') continue;
      const { namespaceId, entity, resource } = ref.bucket;
      const name = JSON.stringify([namespaceId, entity, resource, ref.type, ref.startMs]);
      const known = places.get(name) ?? {
        place: { namespaceId, entity, resource, type: ref.type, startMs: ref.startMs },
        limits: new Set<string>(),
      };
      for (const limit of limits.keys()) known.limits.add(limit);
      places.set(name, known);
    }
    const endings = await sideBySide(
      [...places.values()].map(
        ({ place, limits }) =>
          () =>
            this.#lookAt(place, limits, zones.get(place.namespaceId) ?? 'UTC'),
      ),
      this.#parts.atOnce,
      mayBegin,
    );
    const found = endings.flatMap((ending) => (ending.kind === 'done' ? ending.value : []));
    const failed = endings.find((ending) => ending.kind === 'failed');
    if (failed?.kind === 'failed') metrics.trouble({ what: 'threshold', message: messageOf(failed.error), records: 0 });
    const undone = endings.filter(({ kind }) => kind === 'undone').length;
    if (undone > 0) {
      const message = `there was no time left to look at ${undone} of ${endings.length} windows`;
      metrics.trouble({ what: 'threshold', message, records: 0 });
    }
    await this.#publish(found, mayBegin, metrics);
    return new Set(found.map(({ namespaceId, entity }) => `${namespaceId}\n${entity}`)).size;
  }

  async #lookAt(place: UsagePlace, names: ReadonlySet<string>, zone: string): Promise<readonly ThresholdEvent[]> {
    const { namespaceId, entity, resource, type, startMs } = place;
    const stored = await this.#parts.limits.limitsOf(namespaceId, entity, resource);
    const watched = stored.filter((limit) => names.has(limit.name) && watchedType(limit, this.#parts.windowTypes) === type);
    if (watched.length === 0) return [];
    const usage = await this.#parts.usage.usageOf(place);
    const { endMs } = windowOf(startMs, zone, type);
    return watched.flatMap((limit) => {
      const allowance = (limit.refill * (endMs - startMs)) / limit.periodMs;
      const used = usage.get(limit.name) ?? 0;
      if (used < this.#parts.ratio * allowance) return [];
      const window = { type, start: new Date(startMs).toISOString(), end: new Date(endMs).toISOString() };
      const id = [namespaceId, entity, resource, limit.name, type, window.start].map(encodeURIComponent).join('/');
      return [{ id, namespaceId, entity, resource, limit: limit.name, window, used, allowance, ratio: used / allowance }];
    });
  }

  async #publish(found: readonly ThresholdEvent[], mayBegin: () => boolean, metrics: Metrics): Promise<void> {
    const { events: sink } = this.#parts;
    if (sink === undefined) return;
    for (const event of found) if (!this.#sent.has(event.id)) this.#waiting.set(event.id, event);
    if (this.#waiting.size === 0) return;
    const { events: unsent, reason } = await this.#send(sink, [...this.#waiting.values()], mayBegin);
    for (const id of this.#waiting.keys()) this.#sent.add(id);
    this.#waiting.clear();
    for (const event of unsent) {
      this.#sent.delete(event.id);
      if (this.#waiting.size < MAX_WAITING) this.#waiting.set(event.id, event);
    }
    // The oldest go first: their windows are over.
    for (const id of this.#sent) {
      if (this.#sent.size <= MAX_REMEMBERED) break;
      this.#sent.delete(id);
    }
    if (reason !== undefined) metrics.trouble({ what: 'threshold', message: reason, records: 0 });
  }

  async #send(sink: EventSink, events: readonly ThresholdEvent[], mayBegin: () => boolean): Promise<UnsentEvents> {
    try {
      return await sink.publish(events, mayBegin);
    } catch (error) {
      return { events, reason: messageOf(error) };
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
