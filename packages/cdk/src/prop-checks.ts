import { Annotations, type Duration, Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

const HOUR_SEC = 3_600;
const DAY_SEC = 86_400;

/**
 * Says what is wrong with the props of a construct, so that one synth tells all mistakes and not the first. A check
 * gives the value back where it is right, and undefined where it is wrong: the construct goes on with its default, as the
 * error stops the synth anyway. What is only known at deployment is not checked.
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
    return this.refuse(`${name} must be a whole number from ${min} to ${max}, got: ${value}`);
  }

  /** A length of time within bounds of whole seconds, both included. */
  seconds(name: string, value: Duration | undefined, minSec: number, maxSec: number): Duration | undefined {
    if (value === undefined || value.isUnresolved()) return value;
    const sec = value.toSeconds({ integral: false });
    if (Number.isInteger(sec) && sec >= minSec && sec <= maxSec) return value;
    return this.refuse(`${name} must be whole seconds from ${minSec} to ${maxSec}, got: ${sec} seconds`);
  }

  /** A length of time within bounds of whole hours, both included. */
  hours(name: string, value: Duration | undefined, minHours: number, maxHours: number): Duration | undefined {
    if (value === undefined || value.isUnresolved()) return value;
    const hours = value.toSeconds({ integral: false }) / HOUR_SEC;
    if (Number.isInteger(hours) && hours >= minHours && hours <= maxHours) return value;
    return this.refuse(`${name} must be whole hours from ${minHours} to ${maxHours}, got: ${hours} hours`);
  }

  /** A length of time within bounds of whole days, both included. */
  days(name: string, value: Duration | undefined, minDays: number, maxDays: number): Duration | undefined {
    if (value === undefined || value.isUnresolved()) return value;
    const days = value.toSeconds({ integral: false }) / DAY_SEC;
    if (Number.isInteger(days) && days >= minDays && days <= maxDays) return value;
    return this.refuse(`${name} must be whole days from ${minDays} to ${maxDays}, got: ${days} days`);
  }

  /** A text that matches a pattern; `expected` says it in words. */
  text(name: string, value: string | undefined, pattern: RegExp, expected: string): string | undefined {
    if (value === undefined || Token.isUnresolved(value) || pattern.test(value)) return value;
    return this.refuse(`${name} must be ${expected}, got: '${value}'`);
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
}
