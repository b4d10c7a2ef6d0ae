import { eventNameKey, type Sleep, StoreFailure } from '@millrace/core';
import type { ItemTable } from '../admin/item-table.js';
import {
  type CommittedUse,
  errorFor,
  LimiterClosed,
  RateLimiterUnavailable,
  type RecordingStats,
  type UseRecorder,
} from '../engine/index.js';
import type { BillingSettings } from './billing-options.js';
import { Places } from './places.js';
import { nextBatch, type PendingEvent } from './usage-event.js';
import { writeEvents } from './write-events.js';

/** What a recorder is made of. */
export interface RecorderParts {
  readonly items: Pick<ItemTable, 'transact' | 'get'>;
  readonly nowMs: () => number;
  readonly sleep: Sleep;
  /** A new ULID; later ones are larger. */
  readonly newEventId: () => string;
  readonly settings: BillingSettings;
  /** How long a commit waits for room. */
  readonly deadlineMs: number;
  /** Told when events cannot be written, once until they can be again. */
  readonly onTrouble: (message: string) => void;
}

/** An event in the buffer. */
interface Buffered extends PendingEvent {
  readonly sinceMs: number;
  readonly name: string | undefined;
}

/** A flush: the events that it waits for, and what ends it. */
interface Flush {
  readonly left: Set<string>;
  end(error?: Error): void;
}

/** So many events are worth a request of their own. */
const FULL_BATCH = 25;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** Failures that may pass by themselves; a flush goes on in spite of them. */
const PASSING: ReadonlySet<StoreFailure['reason']> = new Set(['throttled', 'hot-key', 'timeout', 'network', 'server']);

/**
 * Takes over committed uses, and writes them as events, many in one transaction, one transaction at a time. What it has taken
 * over it keeps until it is recorded: a failure only makes it wait. Where it can hold no more, who commits waits.
 */
export class EventRecorder implements UseRecorder {
  readonly #parts: RecorderParts;
  readonly #places: Places;
  readonly #buffered = new Map<string, Buffered>();
  readonly #names = new Set<string>();
  readonly #flushes = new Set<Flush>();
  readonly #counts = { recorded: 0, repeated: 0, failures: 0 };
  #running: Promise<void> | undefined;
  #pause: AbortController | undefined;
  #failure: unknown;
  #isClosed = false;
  #isStopped = false;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
    this.#places = new Places(parts.settings.maxPending, parts.sleep);
  }

  records(resource: string): boolean {
    return this.#parts.settings.resources?.has(resource) ?? true;
  }

  stats(): RecordingStats {
    return { ...this.#counts, pending: this.#buffered.size };
  }

  async record(use: CommittedUse): Promise<void> {
    this.#checkOpen();
    const { namespaceId, entity, resource, idempotencyKey, ...what } = use;
    const ref = { namespaceId, entity, resource };
    const name = idempotencyKey === undefined ? undefined : nameOf(ref, idempotencyKey);
    if (this.#isRepeated(name)) return;
    if (!(await this.#places.take(this.#parts.deadlineMs))) {
      this.#checkOpen();
      throw new RateLimiterUnavailable(`${this.#buffered.size} usage events wait to be written, and there is no room for more`, {
        cause: this.#failure,
      });
    }
    if (this.#isClosed || this.#isRepeated(name)) {
      this.#places.give(1);
      return this.#checkOpen();
    }
    const id = this.#parts.newEventId();
    const named = idempotencyKey === undefined ? {} : { idempotencyKey };
    this.#buffered.set(id, { id, ref, ...what, ...named, name, sinceMs: this.#parts.nowMs() });
    if (name !== undefined) this.#names.add(name);
    if (this.#buffered.size >= FULL_BATCH) this.#pause?.abort();
    this.#running ??= this.#run();
  }

  /**
   * Writes all that was taken over before the call, at once.
   *
   * @throws RateLimiterUnavailable, or the MillraceError of what is wrong with the table, if some is not written in that time; it is kept
   */
  async flush(deadlineMs = this.#parts.settings.flushDeadlineMs): Promise<void> {
    if (this.#buffered.size === 0) return;
    if (this.#isStopped) throw this.#notWritten(this.#buffered.size);
    const ended = new AbortController();
    await new Promise<void>((resolve, reject) => {
      const flush: Flush = {
        left: new Set(this.#buffered.keys()),
        end: (error) => {
          this.#flushes.delete(flush);
          ended.abort();
          if (error === undefined) resolve();
          else reject(error);
        },
      };
      this.#flushes.add(flush);
      this.#pause?.abort();
      void this.#parts.sleep(deadlineMs, ended.signal).then(() => {
        if (this.#flushes.has(flush)) flush.end(this.#notWritten(flush.left.size));
      });
    });
  }

  /** Takes over nothing more, and flushes. What is not written then is lost, and thrown. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#places.close();
    try {
      await this.flush();
    } finally {
      this.#isStopped = true;
      this.#pause?.abort();
      await this.#running;
    }
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (this.#buffered.size > 0 && !this.#isStopped) {
      if (failures > 0) await this.#rest(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1)));
      else await this.#gather();
      if (this.#isStopped) break;
      const batch = nextBatch(this.#buffered.values());
      try {
        const { recorded, repeated } = await writeEvents({ ...this.#parts, ...this.#parts.settings }, batch);
        this.#counts.recorded += recorded;
        this.#counts.repeated += repeated;
        this.#settle(batch);
        [failures, this.#failure] = [0, undefined];
      } catch (error) {
        failures += 1;
        this.#fail(error, failures);
      }
    }
    this.#running = undefined;
  }

  /** Waits until the oldest event has waited long enough for others, unless they are many already or somebody waits for them. */
  async #gather(): Promise<void> {
    const [oldest] = this.#buffered.values();
    if (oldest === undefined || this.#buffered.size >= FULL_BATCH || this.#flushes.size > 0) return;
    await this.#rest(oldest.sinceMs + this.#parts.settings.maxDelayMs - this.#parts.nowMs());
  }

  async #rest(ms: number): Promise<void> {
    if (ms <= 0) return;
    this.#pause = new AbortController();
    await this.#parts.sleep(ms, this.#pause.signal);
    this.#pause = undefined;
  }

  #settle(batch: readonly PendingEvent[]): void {
    for (const { id } of batch) {
      const name = this.#buffered.get(id)?.name;
      if (name !== undefined) this.#names.delete(name);
      this.#buffered.delete(id);
      for (const flush of this.#flushes) {
        flush.left.delete(id);
        if (flush.left.size === 0) flush.end();
      }
    }
    this.#places.give(batch.length);
  }

  #fail(error: unknown, failures: number): void {
    this.#failure = error;
    this.#counts.failures += 1;
    if (failures === 1)
      this.#parts.onTrouble(`usage events cannot be written, and wait: ${error instanceof Error ? error.message : error}`);
    if (error instanceof StoreFailure && PASSING.has(error.reason)) return;
    for (const flush of this.#flushes) flush.end(this.#notWritten(flush.left.size));
  }

  #notWritten(count: number): Error {
    const failure = this.#failure;
    if (failure instanceof StoreFailure && !PASSING.has(failure.reason)) return errorFor(failure);
    return new RateLimiterUnavailable(`${count} usage events are not written`, { cause: failure });
  }

  #isRepeated(name: string | undefined): boolean {
    if (name === undefined || !this.#names.has(name)) return false;
    this.#counts.repeated += 1;
    return true;
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new LimiterClosed('commit');
  }
}

function nameOf(ref: Parameters<typeof eventNameKey>[0], idempotencyKey: string): string {
  const { partition, sort } = eventNameKey(ref, idempotencyKey);
  return `${partition}\n${sort}`;
}
