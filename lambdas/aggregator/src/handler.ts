import { type Clock, usageKey } from '@millrace/core';
import { checkZone, countHoles, reduceSteps, type WindowChange, type WindowStore } from '@millrace/ledger';
import { archiveBody, archiveKey } from './audit-entry.js';
import { Batch, type Entry } from './batch.js';
import { checkHandlerOptions, type HandlerOptions } from './handler-options.js';
import { periodPieces } from './period-pieces.js';
import type { Piece } from './piece.js';
import type { ArchiveStore, Metrics, PeriodMarks, ZoneReader } from './ports.js';
import type { SplitHints } from './split-hints.js';
import { type BatchResponse, checkEvent, type InvocationContext } from './stream-event.js';
import type { ThresholdWatch } from './threshold-watch.js';
import { type Ending, sideBySide } from './turns.js';

/** What the handler is made of. */
export interface HandlerParts {
  readonly windows: WindowStore;
  readonly zones: ZoneReader;
  /** Where audit events go. @default they are not archived */
  readonly archive?: ArchiveStore;
  /** Where periods are marked that are to be sealed. @default none is marked */
  readonly periods?: PeriodMarks;
  /** @default no threshold is watched */
  readonly thresholds?: ThresholdWatch;
  /** @default nobody is hinted at a split */
  readonly hints?: SplitHints;
  readonly metrics: Metrics;
  /** Requests that were refused for want of capacity since it was last asked. @default none are counted */
  readonly takeThrottles?: () => number;
  /** Gaps that writes have met since it was last asked. @default only those within a batch are counted */
  readonly takeGaps?: () => number;
  readonly clock: Clock;
  readonly options?: HandlerOptions;
}

/** A function behind the stream of the table. */
export type Handler = (event: unknown, context: InvocationContext) => Promise<BatchResponse>;

/**
 * Makes the function that keeps the ledger: it reads the records, folds them into one change for each window, and writes
 * those side by side. Every write may be repeated, so whatever fails is only reported, and comes again:
 *
 * - A record that cannot be read fails alone; all others of the batch are written nevertheless.
 * - A write that fails, or that there was no time for, fails the records that it came from.
 * - Lambda sends again all from the first failed record on. What of that was written is found to be there, at one unit each.
 */
export function makeHandler(parts: HandlerParts): Handler {
  const options = checkHandlerOptions(parts.options ?? {});
  return async (event, context) => {
    const startedMs = parts.clock.nowMs();
    const hasTime = (): boolean => context.getRemainingTimeInMillis() > options.reserveMs;
    const batch = new Batch(checkEvent(event).Records);

    const zones = await zonesOf(batch, parts.zones, options.applyConcurrency, hasTime);
    const windows = windowPieces(batch, zones, parts, options);
    // Marks first: a window of a period that nobody has marked would never be sealed.
    const pieces = [...periodPieces(windows, zones, parts.periods), ...windows, ...archivePieces(batch, parts, options)];
    const endings = await sideBySide(
      pieces.map(({ write }) => write),
      options.applyConcurrency,
      hasTime,
    );
    const { stored, windowsWritten, windowsKnown, changes } = bookedFrom(batch, pieces, endings);
    const nearLimit = await parts.thresholds?.look(changes, zones, hasTime, parts.metrics);
    const hotItems = await parts.hints?.look(batch.entries, hasTime, parts.metrics);

    const nowMs = parts.clock.nowMs();
    const oldestMs = batch.entries.reduce((oldest, { record }) => Math.min(oldest, record?.atMs || nowMs), nowMs);
    batch.tell(parts.metrics);
    parts.metrics.figures({
      records: batch.entries.length,
      steps: batch.entries.filter(({ step }) => step !== undefined).length,
      poison: batch.poison,
      failed: batch.failed,
      windowsWritten,
      gaps: countHoles(batch.entries.flatMap(({ step }) => step ?? [])) + (parts.takeGaps?.() ?? 0),
      windowsKnown,
      auditArchived: stored,
      throttles: parts.takeThrottles?.() ?? 0,
      ...(batch.entries.length === 0 ? {} : { lagMs: Math.max(0, nowMs - oldestMs) }),
      durationMs: Math.max(0, nowMs - startedMs),
      ...(nearLimit === undefined ? {} : { nearLimit }),
      ...(hotItems === undefined ? {} : { hotItems }),
    });
    return batch.response();
  };
}

/** What was written, and which changes are now in their windows. Whatever was not fails the records that it came from. */
function bookedFrom(batch: Batch, pieces: readonly Piece[], endings: readonly Ending<'written' | 'stored' | 'known'>[]) {
  const booked = { stored: 0, windowsWritten: 0, windowsKnown: 0, changes: [] as WindowChange[] };
  pieces.forEach(({ what, entries, change }, index) => {
    const ending = endings[index];
    if (ending?.kind === 'failed') batch.fail(entries(), what, ending.error);
    else if (ending?.kind !== 'done') batch.fail(entries(), 'deadline', 'there was no time left to write it');
    else {
      if (change !== undefined) booked.changes.push(change);
      if (ending.value === 'stored') booked.stored += 1;
      else if (ending.value === 'written') booked.windowsWritten += 1;
      else if (what === 'window') booked.windowsKnown += 1;
    }
  });
  return booked;
}

/** The zones of the namespaces of a batch. Where one cannot be read, its records wait. */
async function zonesOf(batch: Batch, reader: ZoneReader, atOnce: number, hasTime: () => boolean): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(batch.entries.flatMap(({ step }) => (step === undefined ? [] : [step.ref.namespaceId])))];
  const endings = await sideBySide(
    // A zone that the runtime does not know would throw in the middle of all others.
    ids.map((id) => async () => checkZone(await reader.zoneOf(id))),
    atOnce,
    hasTime,
  );
  const zones = new Map<string, string>();
  ids.forEach((id, index) => {
    const ending = endings[index];
    if (ending?.kind === 'done') zones.set(id, ending.value);
    else {
      const error = ending?.kind === 'failed' ? ending.error : 'there was no time left to read the zone';
      batch.fail(
        batch.entries.filter(({ step }) => step?.ref.namespaceId === id),
        'zone',
        error,
      );
    }
  });
  return zones;
}

function windowPieces(
  batch: Batch,
  zones: ReadonlyMap<string, string>,
  { windows }: HandlerParts,
  { windowTypes }: Required<HandlerOptions>,
): readonly Piece[] {
  const zoneOf = (namespaceId: string): string => zones.get(namespaceId) ?? 'UTC';
  const counted = batch.entries.filter((entry) => entry.step !== undefined && !batch.hasFailed(entry));
  const changes = reduceSteps(
    counted.flatMap(({ step }) => step ?? []),
    zoneOf,
    windowTypes,
  );
  const sources = remembered(() => sourcesOf(counted, zoneOf, windowTypes));
  return changes.map((change) => ({
    what: 'window',
    entries: () => sources().get(windowName(change.ref)) ?? [],
    change,
    write: () => windows.widen(change),
  }));
}

/**
 * The records that each change comes from, found by the very rule that made the changes, so that none can be missed when
 * one of them fails. It is asked for only then.
 */
function sourcesOf(
  entries: readonly Entry[],
  zoneOf: (namespaceId: string) => string,
  types: Required<HandlerOptions>['windowTypes'],
): ReadonlyMap<string, readonly Entry[]> {
  const sources = new Map<string, Entry[]>();
  for (const entry of entries) {
    for (const { ref } of entry.step === undefined ? [] : reduceSteps([entry.step], zoneOf, types)) {
      const name = windowName(ref);
      const known = sources.get(name);
      if (known === undefined) sources.set(name, [entry]);
      else known.push(entry);
    }
  }
  return sources;
}

function remembered<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function windowName(ref: WindowChange['ref']): string {
  const { partition, sort } = usageKey(ref);
  return `${partition}\n${sort}`;
}

function archivePieces(batch: Batch, { archive }: HandlerParts, { archivePrefix }: Required<HandlerOptions>): readonly Piece[] {
  if (archive === undefined) return [];
  return batch.entries.flatMap((entry) => {
    const { audit } = entry;
    if (audit === undefined) return [];
    return [
      { what: 'archive', entries: () => [entry], write: () => archive.put(archiveKey(archivePrefix, audit), archiveBody(audit)) },
    ] as const;
  });
}
