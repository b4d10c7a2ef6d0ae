import { checkInteger, checkKeys, checkName, ValidationError } from '@millrace/core';

/** The signals that may be told to flush. */
export type FlushSignal = 'SIGTERM' | 'SIGINT' | 'SIGHUP';

/**
 * Usage events: each lease that is committed on one of these resources is recorded, with what it used and what the caller noted.
 *
 * Events wait in this process for a moment and are written together. A process that is killed without a warning loses those that
 * wait: at most `maxPending`, and none that is older than `maxDelayMs` while the table answers. Nothing else loses any: a commit
 * waits while there is no room, and fails if none comes.
 */
export interface BillingOptions {
  /** The resources whose leases are recorded. Others cost nothing. */
  readonly resources: readonly string[] | 'all';
  /** For how many days an event, and its name, is kept. @default 400 */
  readonly retentionDays?: number;
  /** How many events may wait to be written; a commit beyond waits for room, as long as one call may take (`deadlineMs`). @default 1000 */
  readonly maxPending?: number;
  /** How long an event waits for others to be written with, in milliseconds; once 25 wait they are written at once. @default 200 */
  readonly maxDelayMs?: number;
  /** How long `flush` and `close` go on trying to write what waits, in milliseconds. @default 5000 */
  readonly flushDeadlineMs?: number;
  /**
   * Signals at which to flush. The process then ends by the signal, unless it has a listener of its own, which is left to end
   * it and should wait for `limiter.close()`. No listener is installed unless asked for. @default none
   */
  readonly flushOn?: readonly FlushSignal[];
}

/** The options, checked, with what is left out filled in. */
export interface BillingSettings extends Required<Omit<BillingOptions, 'resources'>> {
  /** Undefined for all. */
  readonly resources: ReadonlySet<string> | undefined;
}

const KNOWN: readonly (keyof BillingOptions)[] = ['resources', 'retentionDays', 'maxPending', 'maxDelayMs', 'flushDeadlineMs', 'flushOn'];
const SIGNALS: readonly FlushSignal[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];
const MAX_RESOURCES = 10_000;
const MAX_DAYS = 36_500;

/** Checks what is recorded, and how; undefined where nothing is. */
export function checkBilling(value: BillingOptions | undefined): BillingSettings | undefined {
  if (value === undefined) return undefined;
  checkKeys('option "billing"', value, KNOWN);
  const { resources, retentionDays = 400, maxPending = 1_000, maxDelayMs = 200, flushDeadlineMs = 5_000, flushOn = [] } = value;
  return {
    resources: checkResources(resources),
    // An event must outlive the stream, and whoever reads it at the end of the month.
    retentionDays: checkInteger('option "billing.retentionDays"', retentionDays, 2, MAX_DAYS),
    maxPending: checkInteger('option "billing.maxPending"', maxPending, 1, 1_000_000),
    maxDelayMs: checkInteger('option "billing.maxDelayMs"', maxDelayMs, 0, 60_000),
    flushDeadlineMs: checkInteger('option "billing.flushDeadlineMs"', flushDeadlineMs, 1, 900_000),
    flushOn: checkSignals(flushOn),
  };
}

function checkResources(resources: unknown): ReadonlySet<string> | undefined {
  if (resources === 'all') return undefined;
  if (!Array.isArray(resources) || resources.length === 0 || resources.length > MAX_RESOURCES) {
    throw new ValidationError('option "billing.resources"', `"all" or an array of 1 to ${MAX_RESOURCES} names of resources`, resources);
  }
  return new Set(resources.map((name) => checkName('resource', name)));
}

function checkSignals(flushOn: unknown): readonly FlushSignal[] {
  const expected = `an array of some of ${SIGNALS.join(', ')}`;
  if (!Array.isArray(flushOn)) throw new ValidationError('option "billing.flushOn"', expected, flushOn);
  const isKnown = (signal: unknown): boolean => SIGNALS.some((known) => known === signal);
  const strange = flushOn.findIndex((signal) => !isKnown(signal));
  if (strange >= 0) throw new ValidationError('option "billing.flushOn"', expected, flushOn[strange]);
  return [...new Set(flushOn as readonly FlushSignal[])];
}
