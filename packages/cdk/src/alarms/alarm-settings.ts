/** What can be changed of an alarm. */
export interface AlarmSettings {
  /**
   * Whether there is this alarm.
   *
   * @default true
   */
  readonly enabled?: boolean;

  /**
   * From which value on it is an alarm, in the unit that is said where the alarm is set.
   *
   * @default - what is said where the alarm is set
   */
  readonly threshold?: number;

  /**
   * For how many periods in a row it must be so.
   *
   * @default - what is said where the alarm is set
   */
  readonly evaluationPeriods?: number;
}
