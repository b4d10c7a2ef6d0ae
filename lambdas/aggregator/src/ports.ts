import type { OpenPeriod, WindowType } from '@millrace/core';
import type { UsageFinding } from '@millrace/limiter/admin';

/** The zone of a namespace, in whose calendar its windows lie. */
export interface ZoneReader {
  zoneOf(namespaceId: string): Promise<string>;
}

/** Where audit events are kept for longer than in the table. */
export interface ArchiveStore {
  /** Stores an object under a key that only it has. `known`: it is there already; it is left as it is. */
  put(key: string, body: Uint8Array): Promise<'stored' | 'known'>;
}

/** Where the periods are marked that are to be sealed once they are over. */
export interface PeriodMarks {
  readonly types: readonly WindowType[];
  /** Marks a period in which something was used. It may be marked any number of times. */
  mark(period: OpenPeriod): Promise<void>;
}

/** An entity that has used much of what a limit lets through in a window. */
export interface ThresholdEvent {
  /** The same for every repetition of the same event: whoever must not see it twice keeps this. */
  readonly id: string;
  readonly namespaceId: string;
  readonly entity: string;
  readonly resource: string;
  readonly limit: string;
  readonly window: { readonly type: WindowType; readonly start: string; readonly end: string };
  /** Tokens used in the window so far, and those that the limit's rate lets through in all of it. */
  readonly used: number;
  readonly allowance: number;
  readonly ratio: number;
}

/** Where threshold events go. They may arrive more than once. */
export interface EventSink {
  /** Sends what it can. Before each request `mayBegin` is asked whether there is time for one. */
  publish(events: readonly ThresholdEvent[], mayBegin: () => boolean): Promise<UnsentEvents>;
}

/** Events that were not taken, and why. */
export interface UnsentEvents {
  readonly events: readonly ThresholdEvent[];
  /** Absent where all were. */
  readonly reason?: string;
}

/** What became of a batch. */
export interface BatchFigures {
  readonly records: number;
  /** Records that moved a bucket's counters. */
  readonly steps: number;
  /** Records that can never be handled: they cannot be read. */
  readonly poison: number;
  /** Records that Lambda is told to send again, those before included. */
  readonly failed: number;
  readonly windowsWritten: number;
  /** Places at which records do not join: something before them is missing. Within a window the next one makes up for it. */
  readonly gaps: number;
  /** Windows that said all already: repetitions. */
  readonly windowsKnown: number;
  readonly auditArchived: number;
  /** Requests that DynamoDB refused for want of capacity; most are then repeated with success. */
  readonly throttles: number;
  /** How old the oldest record was when all were done; absent for an empty batch. */
  readonly lagMs?: number;
  readonly durationMs: number;
  /** Entities beyond the threshold of a limit; absent where no threshold is watched. */
  readonly nearLimit?: number;
  /** Items of buckets that are written to too often; absent where no hints are left. */
  readonly hotItems?: number;
}

/** What became of a round of sealing. */
export interface SealFigures {
  /** Periods that are sealed now; some of them may have been before. */
  readonly periodsSealed: number;
  /** Periods that could not be sealed; they are tried again. */
  readonly periodsFailed: number;
  /** Whether there was more to do than time for it; the next round goes on. */
  readonly isCutShort: boolean;
  readonly durationMs: number;
}

/** What was found in the books that a round has checked: those of an entity on a resource in a day. */
export interface LedgerFigures {
  readonly checked: number;
  /** What could not be read or marked: each time it is tried. */
  readonly unchecked: number;
  /** Whatever is wrong in the books of this round, gaps included; absent, as the two below, where none were checked. */
  readonly findings?: number;
  /** Places where records are missing. */
  readonly gaps?: number;
  /** Limits of bucket items that have counted what no window has yet. */
  readonly inFlight?: number;
}

/** Something that is wrong in the ledger. */
export interface FoundInLedger {
  /** The name of the namespace. */
  readonly namespace: string;
  readonly finding: UsageFinding;
}

/** Something that went wrong, and how many records of the batch it met. */
export interface Trouble {
  readonly what: 'poison' | 'window' | 'period' | 'zone' | 'archive' | 'threshold' | 'hint' | 'deadline' | 'seal' | 'check';
  readonly message: string;
  readonly records: number;
  /** One of the records. */
  readonly eventId?: string;
}

/** Where the function tells how it fares. */
export interface Metrics {
  figures(figures: BatchFigures): void;
  trouble(trouble: Trouble): void;
}

/** Where a round of sealing tells how it fared. */
export interface SealMetrics extends Pick<Metrics, 'trouble'> {
  seals(figures: SealFigures): void;
  /** What a round has found in the ledger; not called where it looked at nothing. */
  ledger(figures: LedgerFigures): void;
  finding(found: FoundInLedger): void;
}
