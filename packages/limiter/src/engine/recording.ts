import { checkName, utf8Length, ValidationError } from '@millrace/core';
import type { Amounts } from './level.js';

/** What may be noted of a use: names, and values that JSON has. */
export type EventMeta = Readonly<Record<string, EventValue>>;

export type EventValue = string | number | boolean | null | readonly EventValue[] | { readonly [name: string]: EventValue };

/** What a lease came to when it was committed. */
export interface CommittedUse {
  readonly namespaceId: string;
  readonly entity: string;
  readonly resource: string;
  readonly amounts: Amounts;
  /** Some of it is on no bucket's books, because the store could not be reached. */
  readonly degraded: boolean;
  readonly meta?: EventMeta;
  readonly idempotencyKey?: string;
}

/** Where committed uses are recorded, one by one. */
export interface UseRecorder {
  /** Whether those of a resource are. */
  records(resource: string): boolean;
  /** Resolves once the use is taken over, and throws if it is not: then nothing of it will be recorded. */
  record(use: CommittedUse): Promise<void>;
}

/** What became of committed uses that are recorded. */
export interface RecordingStats {
  /** Usage events written by this process. */
  readonly recorded: number;
  /** Uses that were not recorded, because an event of the same idempotency key was. */
  readonly repeated: number;
  /** Events that wait to be written. */
  readonly pending: number;
  /** Writes that failed; what they were to record waits for the next. */
  readonly failures: number;
}

/** What a caller says of a use when it acquires. */
export interface RecordingOptions {
  /**
   * What to note in the usage event of this lease, on a resource whose leases are recorded: at most 20 names and 1,024 bytes of
   * JSON. `lease.annotate` adds to it.
   */
  readonly meta?: EventMeta;
  /**
   * Names the use, up to 256 bytes: of all leases of an entity and resource with one name, whichever process commits them,
   * one usage event is recorded, that of the first. Each still takes its tokens. @default every lease is a use of its own
   */
  readonly idempotencyKey?: string;
}

export const RECORDING_KEYS = ['meta', 'idempotencyKey'] as const;

const MAX_META_BYTES = 1_024;
const MAX_META_NAMES = 20;
const MAX_META_DEPTH = 5;

/**
 * Checks what a caller says of a use. What would be noted nowhere is refused: whoever bills by it would miss it in silence.
 */
export function checkRecording(options: RecordingOptions, resource: string, recorder: UseRecorder | undefined): RecordingOptions {
  const { meta, idempotencyKey } = options;
  if (meta === undefined && idempotencyKey === undefined) return {};
  if (recorder?.records(resource) !== true) {
    const [option, value] = meta === undefined ? ['idempotencyKey', idempotencyKey] : ['meta', meta];
    throw new ValidationError(
      `option "${option}"`,
      `left out: the leases of "${resource}" are not recorded (see the option "billing")`,
      value,
    );
  }
  return {
    ...(meta === undefined ? {} : { meta: checkMeta('option "meta"', meta) }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey: checkName('idempotencyKey', idempotencyKey) }),
  };
}

/** Checks what is to be noted, and copies it, so that nobody changes it before it is written. */
export function checkMeta(subject: string, meta: unknown): EventMeta {
  if (!isPlain(meta)) throw new ValidationError(subject, 'an object from names to values of JSON ({ model: "gpt-4" })', meta);
  const names = Object.keys(meta);
  if (names.length > MAX_META_NAMES) throw new ValidationError(subject, `at most ${MAX_META_NAMES} names`, meta);
  for (const name of names) checkValue(`${subject}, "${name}",`, meta[name], 1);
  const json = JSON.stringify(meta);
  const bytes = utf8Length(json);
  if (bytes > MAX_META_BYTES) throw new ValidationError(subject, `at most ${MAX_META_BYTES} bytes of JSON`, `${bytes} bytes`);
  return JSON.parse(json) as EventMeta;
}

function checkValue(subject: string, value: unknown, depth: number): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return;
  if (depth === MAX_META_DEPTH && typeof value === 'object')
    throw new ValidationError(subject, `at most ${MAX_META_DEPTH} levels deep`, value);
  if (!Array.isArray(value) && !isPlain(value)) throw new ValidationError(subject, 'a value of JSON', value);
  for (const part of Object.values(value)) checkValue(subject, part, depth + 1);
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
