import { Annotations, type Duration, Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * The names that an object of options may have. Types are gone at synth, so names are said again; the compiler sees to it that all are
 * there. The props of a construct itself are not looked through: one that extends ours hands its own on with them.
 */
export type OptionNames<T> = Readonly<Record<keyof T, true>>;

/** A unit that a length of time is counted in. */
const SEC = { name: 'seconds', sec: 1 };
const HOUR = { name: 'hours', sec: 3_600 };
const DAY = { name: 'days', sec: 86_400 };

/** A namespace of CloudWatch's: those that begin with `AWS/` are AWS's own, and take no metrics of others. */
const METRICS_NAMESPACE = /^(?!AWS\/)[\w./#-]{1,255}$/;

/**
 * Says what is wrong with the props of a construct, so that one synth tells all mistakes and not the first. A check
 * gives the value back where it is right, and undefined where it is wrong: the construct goes on with its default, as the
 * error stops the synth anyway. What is only known at deployment is not checked.
 *
 * Types are checked, too: what comes from JavaScript, or from a file, no compiler has seen.
 */
export class PropChecks {
  private readonly scope: IConstruct;

  constructor(scope: IConstruct) {
    this.scope = scope;
  }

  /** A whole number within bounds, both included. */
  wholeNumber(name: string, value: number | undefined, min: number, max: number): number | undefined {
    if (value === undefined || Token.isUnresolved(value)) return value;
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    return this.refuse(`${name} must be a whole number from ${min} to ${max}, got: ${shown(value)}`);
  }

  /** A length of time within bounds of whole seconds, both included. */
  seconds(name: string, value: Duration | undefined, minSec: number, maxSec: number): Duration | undefined {
    return this.duration(name, value, SEC, minSec, maxSec);
  }

  /** A length of time within bounds of whole hours, both included. */
  hours(name: string, value: Duration | undefined, minHours: number, maxHours: number): Duration | undefined {
    return this.duration(name, value, HOUR, minHours, maxHours);
  }

  /** A length of time within bounds of whole days, both included. */
  days(name: string, value: Duration | undefined, minDays: number, maxDays: number): Duration | undefined {
    return this.duration(name, value, DAY, minDays, maxDays);
  }

  /** A text that matches a pattern; `expected` says it in words. */
  text(name: string, value: string | undefined, pattern: RegExp, expected: string): string | undefined {
    if (value === undefined || Token.isUnresolved(value)) return value;
    if (typeof value === 'string' && pattern.test(value)) return value;
    return this.refuse(`${name} must be ${expected}, got: ${shown(value)}`);
  }

  /** A namespace of CloudWatch that metrics can be put into. */
  metricsNamespace(value: string | undefined): string | undefined {
    const expected = '1 to 255 letters, digits, ., -, _, / or #, and not begin with AWS/';
    return this.text('metricsNamespace', value, METRICS_NAMESPACE, expected);
  }

  /** A list of some of the values that there are, at least one. */
  someOf<T extends string>(name: string, values: readonly T[] | undefined, all: readonly T[]): readonly T[] | undefined {
    if (values === undefined || Token.isUnresolved(values)) return values;
    if (Array.isArray(values) && values.length > 0 && values.every((value) => all.includes(value))) return values;
    return this.refuse(`${name} must be a list of at least one of ${all.join(', ')}, got: ${shown(values)}`);
  }

  /** The options in an object: nobody reads those of other names, so that one who misspelt one would wait for its effect. */
  options<T extends object>(name: string, value: T | undefined, known: OptionNames<T>): T | undefined {
    if (value === undefined) return undefined;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return this.refuse(`${name} must be an object with some of ${Object.keys(known).join(', ')}, got: ${shown(value)}`);
    }
    const strange = Object.keys(value).filter((key) => !Object.hasOwn(known, key));
    if (strange.length > 0) this.refuse(`${name} must have none but ${Object.keys(known).join(', ')}, got: ${strange.join(', ')}`);
    return value;
  }

  /** Two props of which at most one may be set. */
  notBoth(first: string, isFirstSet: boolean, second: string, isSecondSet: boolean, why: string): void {
    if (isFirstSet && isSecondSet) this.refuse(`${first} and ${second} must not both be set: ${why}`);
  }

  /** Notes a mistake. The answer is undefined, for the check to give back. */
  refuse(message: string): undefined {
    Annotations.of(this.scope).addError(message);
    return undefined;
  }

  private duration(name: string, value: Duration | undefined, unit: typeof SEC, min: number, max: number): Duration | undefined {
    if (value === undefined) return undefined;
    if (typeof value?.toSeconds !== 'function') {
      return this.refuse(`${name} must be a Duration of whole ${unit.name} from ${min} to ${max}, got: ${shown(value)}`);
    }
    if (value.isUnresolved()) return value;
    const count = value.toSeconds({ integral: false }) / unit.sec;
    if (Number.isInteger(count) && count >= min && count <= max) return value;
    return this.refuse(`${name} must be whole ${unit.name} from ${min} to ${max}, got: ${count} ${unit.name}`);
  }
}

/** Refuses a construct without what it is about. Nothing else of it can be looked at then, so this is thrown, and told alone. */
export function checkGiven(scope: IConstruct, props: object | undefined, name: string, expected: string): void {
  const value = (props as Readonly<Record<string, unknown>> | undefined)?.[name];
  if (typeof value === 'object' && value !== null) return;
  throw new Error(`${scope.node.path}: ${name} must be ${expected}, got: ${shown(value)}`);
}

/** What a limiter may be given as. */
export const LIMITER_WORDS = 'a RateLimiter, or what RateLimiter.fromRateLimiterAttributes gives';

/** A value as a message shows it: a text is told from a number by its quotes. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  return JSON.stringify(value);
}
