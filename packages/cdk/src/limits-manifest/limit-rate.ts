import { Duration } from 'aws-cdk-lib';
import { shown } from '../prop-checks.js';

/** What a limit has beside its rate. */
export interface LimitRateOptions {
  /**
   * Tokens that a full bucket holds: what can be taken at once after a pause.
   *
   * @default - the tokens of one period
   */
  readonly capacity?: number;

  /**
   * The share of the capacity, from 0 to 0.5, that is given up so that fewer requests guess wrong; 0 costs more writes.
   *
   * @default 0.02
   */
  readonly reserve?: number;
}

/** A limit of any period. */
export interface LimitRateProps extends LimitRateOptions {
  /** Its name: a letter, then up to 31 letters, digits, `_` or `-`. */
  readonly name: string;
  /** The tokens that come back in each period: a whole number. */
  readonly tokens: number;
  /** The period: whole milliseconds. */
  readonly period: Duration;
}

/**
 * A limit of a manifest: how many tokens come back in which time. It is checked with the manifest that it is in, so that
 * all mistakes of that are told at once.
 */
export class LimitRate {
  /** So many tokens a second. */
  static perSecond(name: string, tokens: number, options: LimitRateOptions = {}): LimitRate {
    return LimitRate.of({ ...options, name, tokens, period: Duration.seconds(1) });
  }

  /** So many tokens a minute. */
  static perMinute(name: string, tokens: number, options: LimitRateOptions = {}): LimitRate {
    return LimitRate.of({ ...options, name, tokens, period: Duration.minutes(1) });
  }

  /** So many tokens an hour. */
  static perHour(name: string, tokens: number, options: LimitRateOptions = {}): LimitRate {
    return LimitRate.of({ ...options, name, tokens, period: Duration.hours(1) });
  }

  /** So many tokens a day. */
  static perDay(name: string, tokens: number, options: LimitRateOptions = {}): LimitRate {
    return LimitRate.of({ ...options, name, tokens, period: Duration.days(1) });
  }

  /** A limit of any period. */
  static of(props: LimitRateProps): LimitRate {
    // What is left is nothing that a limit has: the manifest refuses it, where it would be ignored here.
    const { name, tokens, period, capacity, reserve, ...strange } = props;
    return new LimitRate({ ...strange, name, refill: tokens, periodMs: periodMsOf(period), capacity, reserve });
  }

  /** A limit by its short form: `rpm:500/min`, or `rpm:500/min:1000` with a capacity of its own. */
  static parse(text: string): LimitRate {
    return new LimitRate(text);
  }

  private constructor(source: unknown) {
    sources.set(this, source);
  }
}

/** What is no period, or only known at deployment, is told as a mistake of the manifest, like any other such value. */
function periodMsOf(period: Duration): unknown {
  if (typeof period?.toMilliseconds !== 'function') return `${shown(period)}, which is no Duration`;
  return period.isUnresolved() ? period.toString() : period.toMilliseconds({ integral: false });
}

/** Not on the object: what is for the construct only is no part of what others may call. */
const sources = new WeakMap<LimitRate, unknown>();

/** The limit as a manifest says it. */
export function limitSource(limit: LimitRate): unknown {
  return sources.get(limit);
}
