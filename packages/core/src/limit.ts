import { ValidationError } from './errors.js';
import { greatestCommonDivisor, scaleDown, scaleUp } from './exact.js';
import { checkInteger, checkKeys, checkLimitName } from './input.js';

/**
 * A named rate with a capacity: `refill` tokens come back every `periodMs`, and at most `capacity` can be taken at once.
 * Immutable, made by the factories on {@link Limit}, which check it once so that nothing else has to.
 */
export interface Limit {
  readonly name: string;
  /** The most tokens that can be taken at once from a full bucket. */
  readonly capacity: number;
  /** Tokens that come back in each period. */
  readonly refill: number;
  readonly periodMs: number;
  /**
   * The share of the capacity that may be kept back so that a slightly stale guess still lands (the dead-band). A
   * larger one saves writes, 0 gives the whole capacity for more writes.
   */
  readonly reserve: number;
}

/** What a limit may be told beside its rate. */
export interface LimitOptions {
  /** The most tokens that can be taken at once. @default the tokens of one period */
  readonly capacity?: number;
  /** The share of the capacity that may be kept back, from 0 to 0.5. @default 0.02 */
  readonly reserve?: number;
}

/** A limit in full. */
export interface LimitDefinition extends LimitOptions {
  readonly name: string;
  readonly refill: number;
  readonly periodMs: number;
}

const DEFAULT_RESERVE = 0.02;
const MAX_RESERVE = 0.5;
const MAX_TOKENS = 1_000_000_000_000;
const DAY_MS = 86_400_000;
const MAX_PERIOD_MS = 366 * DAY_MS;
/** No bucket takes longer than this to fill: now + 20 years stays far inside 53 bits of microseconds. */
const MAX_FILL_US = 20 * 366 * DAY_MS * 1000;
const MAX_RATE_PER_SEC = 1_000_000_000;

const PERIODS_MS = { s: 1000, sec: 1000, min: 60_000, h: 3_600_000, hour: 3_600_000, d: DAY_MS, day: DAY_MS } as const;

function define(definition: LimitDefinition): Limit {
  checkKeys('limit', definition, ['name', 'refill', 'periodMs', 'capacity', 'reserve']);
  const name = checkLimitName(definition.name);
  const refill = checkInteger(`limit "${name}": refill`, definition.refill, 1, MAX_TOKENS);
  const periodMs = checkInteger(`limit "${name}": periodMs`, definition.periodMs, 1, MAX_PERIOD_MS);
  const capacity = checkInteger(
    `limit "${name}": capacity`,
    definition.capacity === undefined ? refill : definition.capacity,
    1,
    MAX_TOKENS,
  );
  const reserve = definition.reserve === undefined ? DEFAULT_RESERVE : definition.reserve;
  if (typeof reserve !== 'number' || !(reserve >= 0 && reserve <= MAX_RESERVE)) {
    throw new ValidationError(`limit "${name}": reserve`, `a share from 0 to ${MAX_RESERVE}`, reserve);
  }
  if (scaleUp(refill, 1000, periodMs) > MAX_RATE_PER_SEC) {
    throw new ValidationError(`limit "${name}": rate`, `at most ${MAX_RATE_PER_SEC} tokens a second`, refill);
  }
  if (scaleDown(capacity, periodMs * 1000, refill) > MAX_FILL_US) {
    throw new ValidationError(`limit "${name}": capacity`, 'refilled by its rate within 20 years', capacity);
  }
  const limit = Object.freeze({ name, capacity, refill, periodMs, reserve });
  made.add(limit);
  return limit;
}

/** Limits that {@link define} has checked: a limit is handed in with every call and must not be checked again. */
const made = new WeakSet<Limit>();

function perPeriod(periodMs: number) {
  return (name: string, tokens: number, options: LimitOptions = {}): Limit => {
    checkKeys(`limit "${name}": options`, options, ['capacity', 'reserve']);
    return define({ ...options, name, refill: tokens, periodMs });
  };
}

/**
 * Makes limits.
 *
 * @example
 * Limit.perMinute('rpm', 500);
 * Limit.perMinute('tpm', 800_000, { capacity: 1_000_000 });
 * Limit.of({ name: 'burst', refill: 10, periodMs: 250, capacity: 40 });
 */
export const Limit = {
  perSecond: perPeriod(PERIODS_MS.sec),
  perMinute: perPeriod(PERIODS_MS.min),
  perHour: perPeriod(PERIODS_MS.hour),
  perDay: perPeriod(PERIODS_MS.day),
  /** A limit of any period. */
  of: define,
  /**
   * Reads one limit from its short form: `name:tokens/period`, then `:capacity` where that differs from the tokens.
   * Periods are `s`, `sec`, `min`, `h`, `hour`, `d`, `day`: `rpm:1000/min:1500`.
   */
  parse(text: string): Limit {
    const parts = typeof text === 'string' ? SHORT_FORM.exec(text) : null;
    const periodMs = PERIODS_MS[parts?.[3] as keyof typeof PERIODS_MS] as number | undefined;
    if (parts === null || periodMs === undefined) {
      throw new ValidationError(
        'limit',
        `written as name:tokens/period or name:tokens/period:capacity (rpm:1000/min:1500), the period being ${PERIOD_NAMES.join(', ')}`,
        text,
      );
    }
    const [, name = '', refill, , capacity] = parts;
    return define({ name, refill: Number(refill), periodMs, ...(capacity === undefined ? {} : { capacity: Number(capacity) }) });
  },
  /** The short form of a limit, where it has one; {@link Limit.parse} reads it back. A reserve of its own is not part of it. */
  format(limit: Limit): string {
    const period = PERIOD_NAMES.find((name) => PERIODS_MS[name] === limit.periodMs);
    if (period === undefined)
      throw new ValidationError(`limit "${limit.name}": periodMs`, 'a second, minute, hour or day to have a short form', limit.periodMs);
    return `${limit.name}:${limit.refill}/${period}${limit.capacity === limit.refill ? '' : `:${limit.capacity}`}`;
  },
} as const;

const PERIOD_NAMES = ['sec', 'min', 'hour', 'day'] as const;
const SHORT_FORM = /^([A-Za-z][A-Za-z0-9_-]*):(\d{1,13})\/([a-z]{1,4})(?::(\d{1,13}))?$/;

/** One token's time as a fraction of microseconds in lowest terms: `periodUs / refill`. */
export function tokenTime(limit: Limit): { readonly periodUs: number; readonly refill: number } {
  const divisor = greatestCommonDivisor(limit.periodMs * 1000, limit.refill);
  return { periodUs: (limit.periodMs * 1000) / divisor, refill: limit.refill / divisor };
}

/** Checks the limits of one bucket: an array of at most ten, no name twice. */
export function checkLimits(subject: string, limits: unknown): readonly Limit[] {
  if (!Array.isArray(limits) || limits.length === 0 || limits.length > MAX_LIMITS) {
    throw new ValidationError(subject, `an array of 1 to ${MAX_LIMITS} limits`, limits);
  }
  const checked = limits.map((limit) => (made.has(limit) ? (limit as Limit) : define(limit as Limit)));
  const names = new Set(checked.map((limit) => limit.name));
  if (names.size !== checked.length)
    throw new ValidationError(subject, 'limits of different names', checked.map((limit) => limit.name).join(', '));
  return checked;
}

/** The most limits that one bucket may hold. */
export const MAX_LIMITS = 10;
