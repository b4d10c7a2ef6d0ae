import { ValidationError, WINDOW_TYPES, type WindowType } from '@millrace/core';
import { checkRetention, DEFAULT_RETENTION, leastSealedRetention, type Retention } from '@millrace/ledger';
import { checkHandlerOptions, type HandlerOptions } from './handler-options.js';

/** What the function is told by its environment. */
export interface Environment {
  readonly table: string;
  readonly options: Required<HandlerOptions>;
  readonly retention: Retention;
  readonly metricsNamespace: string;
  readonly region: string;
  /** Of something that stands in for S3. */
  readonly s3Endpoint?: string;
  /** How long a request may take, all its repetitions included. */
  readonly requestTimeoutMs: number;
  /** Where audit events go; absent: nowhere. */
  readonly auditBucket?: string;
  /** The share from which on a threshold is crossed; absent: none is watched. */
  readonly thresholdRatio?: number;
  /** Where threshold events go; absent: they are counted only. */
  readonly eventBus?: string;
  /** The types of windows that are sealed when they are over, and for how long after that records may still come; absent: none is. */
  readonly seals?: SealSettings;
  /** Writes a second of one item of a bucket from which on a split is hinted at; absent: never. */
  readonly hintFromPerSec?: number;
}

/** Which windows are sealed, and when. */
export interface SealSettings {
  readonly types: readonly WindowType[];
  readonly lateMs: number;
  /** Whether the ledger of each day is checked once that is sealed; never where days are not. */
  readonly checksLedger: boolean;
}

type Variables = Readonly<Record<string, string | undefined>>;

const PREFIX = 'MILLRACE_';
const NAMES = [
  'TABLE',
  'WINDOW_TYPES',
  'APPLY_CONCURRENCY',
  'RETENTION_DAYS',
  'RESERVE_MS',
  'REQUEST_TIMEOUT_MS',
  'METRICS_NAMESPACE',
  'AUDIT_BUCKET',
  'AUDIT_PREFIX',
  'THRESHOLD_PERCENT',
  'EVENT_BUS',
  'SEAL_TYPES',
  'SEAL_LATE_HOURS',
  'CHECK_LEDGER',
  'HINT_WRITES_PER_SEC',
] as const;

/** The variables that the function reads, by which whoever deploys it tells it something. */
export const ENVIRONMENT_VARIABLES = NAMES.map((name) => `${PREFIX}${name}` as const);

/**
 * Reads the environment.
 *
 * @throws ValidationError that names the variable, also for one that nobody reads: a misspelt one would be ignored in silence
 */
export function environmentOf(variables: Variables): Environment {
  const known: readonly string[] = ENVIRONMENT_VARIABLES;
  for (const name of Object.keys(variables)) {
    if (name.startsWith(PREFIX) && !known.includes(name)) throw new ValidationError('variable', `one of ${known.join(', ')}`, name);
  }
  const value: Value = (name) => variables[PREFIX + name] || undefined;
  const table = value('TABLE');
  if (table === undefined) throw new ValidationError('variable MILLRACE_TABLE', 'the name of the table', table);
  const [auditBucket, eventBus, threshold] = [value('AUDIT_BUCKET'), value('EVENT_BUS'), value('THRESHOLD_PERCENT')];
  const thresholdRatio = threshold === undefined ? undefined : wholeNumber('THRESHOLD_PERCENT', threshold, 1, 100) / 100;
  if (eventBus !== undefined && thresholdRatio === undefined) {
    throw new ValidationError(
      'variable MILLRACE_EVENT_BUS',
      'set beside MILLRACE_THRESHOLD_PERCENT, which says when an event is due',
      eventBus,
    );
  }
  const requestTimeoutMs = wholeNumber('REQUEST_TIMEOUT_MS', value('REQUEST_TIMEOUT_MS') ?? '4000', 100, 60_000);
  const reserveMs = wholeNumber('RESERVE_MS', value('RESERVE_MS') ?? String(requestTimeoutMs + 1_000), 0, 900_000);
  if (reserveMs <= requestTimeoutMs) {
    throw new ValidationError('variable MILLRACE_RESERVE_MS', `more than a request may take (${requestTimeoutMs})`, reserveMs);
  }
  // AWS's own name for it, which all SDKs know; ours is no SDK.
  const s3Endpoint = variables['AWS_ENDPOINT_URL_S3'] || variables['AWS_ENDPOINT_URL'] || undefined;
  const types = value('WINDOW_TYPES');
  const windowTypes = types === undefined ? WINDOW_TYPES : typesOf('WINDOW_TYPES', types);
  // 0 turns hints off.
  const hintFromPerSec = wholeNumber('HINT_WRITES_PER_SEC', value('HINT_WRITES_PER_SEC') ?? '800', 0, 1_000) || undefined;
  const retention = retentionOf(value('RETENTION_DAYS'));
  const seals = sealsOf(value, windowTypes);
  if (seals !== undefined) checkKeptForSeals(seals, retention);
  return {
    table,
    options: checkHandlerOptions({
      applyConcurrency: wholeNumber('APPLY_CONCURRENCY', value('APPLY_CONCURRENCY') ?? '50', 1, 200),
      reserveMs,
      windowTypes,
      ...present({ archivePrefix: value('AUDIT_PREFIX') }),
    }),
    retention,
    region: regionOf(variables),
    metricsNamespace: value('METRICS_NAMESPACE') ?? 'Millrace',
    requestTimeoutMs,
    ...present({ s3Endpoint, auditBucket, thresholdRatio, eventBus, seals, hintFromPerSec }),
  };
}

/** The values that there are. */
function present<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

function regionOf({ AWS_REGION: region, AWS_DEFAULT_REGION: defaultRegion }: Variables): string {
  const found = region || defaultRegion;
  if (!found) throw new ValidationError('variable AWS_REGION', 'the name of a region, as Lambda sets it', found);
  return found;
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < min || number > max) {
    throw new ValidationError(`variable ${PREFIX}${name}`, `a whole number from ${min} to ${max}`, text);
  }
  return number;
}

type Value = (name: (typeof NAMES)[number]) => string | undefined;

/** Every sealed type must be one that is kept: of another there is nothing to seal, which nobody would notice. */
function sealsOf(value: Value, kept: readonly WindowType[]): SealSettings | undefined {
  const [types, lateHours, checks] = [value('SEAL_TYPES'), value('SEAL_LATE_HOURS'), value('CHECK_LEDGER')];
  if (types === undefined) {
    const beside = 'set beside MILLRACE_SEAL_TYPES, which says what is sealed';
    if (lateHours !== undefined) throw new ValidationError('variable MILLRACE_SEAL_LATE_HOURS', beside, lateHours);
    if (checks !== undefined) throw new ValidationError('variable MILLRACE_CHECK_LEDGER', beside, checks);
    return undefined;
  }
  const sealed = typesOf('SEAL_TYPES', types);
  if (!sealed.every((type) => kept.includes(type))) {
    throw new ValidationError('variable MILLRACE_SEAL_TYPES', `some of the types that are kept, ${kept.join(',')}`, types);
  }
  const lateMs = wholeNumber('SEAL_LATE_HOURS', lateHours ?? '24', 0, 168) * 3_600_000;
  return { types: sealed, lateMs, checksLedger: checksLedgerOf(checks, sealed) };
}

/** A window that has expired when it is sealed would be sealed as one in which nothing was used. */
function checkKeptForSeals({ types, lateMs }: SealSettings, retention: Retention): void {
  for (const type of types) {
    const [days, least] = [retention[type], leastSealedRetention(type, lateMs)];
    if (days === undefined || days >= least) continue;
    const expected = `${least} days or more of "${type}", which is sealed ${lateMs / 3_600_000} hours after its end`;
    throw new ValidationError('variable MILLRACE_RETENTION_DAYS', expected, days);
  }
}

/** What is checked is days that are sealed, so it cannot be asked for where they are not. */
function checksLedgerOf(text: string | undefined, sealed: readonly WindowType[]): boolean {
  const hasDays = sealed.includes('day');
  if (text === undefined) return hasDays;
  if (text !== 'true' && text !== 'false') throw new ValidationError('variable MILLRACE_CHECK_LEDGER', 'true or false', text);
  if (text === 'true' && !hasDays) {
    throw new ValidationError(
      'variable MILLRACE_CHECK_LEDGER',
      'false, or day one of MILLRACE_SEAL_TYPES: days are checked once they are sealed',
      text,
    );
  }
  return text === 'true';
}

function typesOf(name: (typeof NAMES)[number], text: string): readonly WindowType[] {
  return text.split(',').map((part) => {
    const type = WINDOW_TYPES.find((known) => known === part.trim());
    if (type === undefined) throw new ValidationError(`variable ${PREFIX}${name}`, `some of ${WINDOW_TYPES.join(',')}`, text);
    return type;
  });
}

/** `hour=90,day=400`; a type that is not named is kept for ever. */
function retentionOf(text: string | undefined): Retention {
  if (text === undefined) return DEFAULT_RETENTION;
  const days = text.split(',').map((part) => {
    const [, type, count] = /^\s*([a-z]+)=(\d+)\s*$/.exec(part) ?? [];
    if (type === undefined) throw new ValidationError(`variable ${PREFIX}RETENTION_DAYS`, 'like hour=90,day=400,week=800', text);
    return [type, Number(count)] as const;
  });
  return checkRetention(Object.fromEntries(days));
}
