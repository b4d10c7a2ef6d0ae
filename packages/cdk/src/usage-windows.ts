import type { Duration } from 'aws-cdk-lib';

/** A length of time over which usage is summed. */
export enum UsageWindowType {
  /** An hour. */
  HOUR = 'hour',
  /** A day of the namespace's calendar. */
  DAY = 'day',
  /** A week that begins on Monday. */
  WEEK = 'week',
  /** A month of the namespace's calendar. */
  MONTH = 'month',
}

/**
 * For how long usage is kept, from the beginning of its window: up to 36 500 whole days, and at least until it is over, its records have
 * come and it is sealed, which is 3 days for hours and days, 10 for weeks, 34 for months.
 */
export interface UsageRetention {
  /**
   * Hours.
   *
   * @default Duration.days(90)
   */
  readonly hour?: Duration;

  /**
   * Days.
   *
   * @default Duration.days(400)
   */
  readonly day?: Duration;

  /**
   * Weeks.
   *
   * @default Duration.days(800)
   */
  readonly week?: Duration;

  /**
   * Months.
   *
   * @default - for ever
   */
  readonly month?: Duration;
}
