import type { Duration } from 'aws-cdk-lib';
import type { Schedule } from 'aws-cdk-lib/aws-events';
import type { UsageWindowType } from './usage-windows.js';

/** How windows that are over are sealed: what a window came to is written down, once, with a hash over all that is in it. */
export interface UsageSealOptions {
  /**
   * Which windows are sealed. Each window of a resource in which something was used costs about eight writes, and a read of
   * the window of each entity. They must be among those that are kept.
   *
   * @default - days and months, as far as they are kept
   */
  readonly windowTypes?: UsageWindowType[];

  /**
   * For how long after its end a window is left open for records that are late, 0 to 168 whole hours. The stream keeps
   * records for a day.
   *
   * @default Duration.hours(24)
   */
  readonly delay?: Duration;

  /**
   * When the function looks for windows that are over, and seals up to a thousand of them. Where there were more, or not
   * enough time, it goes on the next time. A time costs next to nothing, but for the metrics of it: see the README.
   *
   * @default Schedule.rate(Duration.hours(1))
   */
  readonly schedule?: Schedule;

  /**
   * Whether the ledger of each day is checked once that is sealed: of each entity that used the resource, whether records of the stream
   * were lost. What is missing goes into the function's log, line by line, and into the metric that the alarm `ledgerGaps` watches;
   * nothing is repaired by itself. It costs three requests and about five read units for each entity, resource and day, and needs days
   * among `windowTypes`.
   *
   * @default true
   */
  readonly checkLedger?: boolean;
}
