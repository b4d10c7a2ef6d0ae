import { describeValue } from '@millrace/core';

/**
 * What a rule of EventBridge sends on its schedule, as far as it is looked at. A schedule of EventBridge Scheduler, which
 * sends whatever it is given, is given this as its input.
 */
export const SCHEDULE_EVENT = { source: 'aws.events', 'detail-type': 'Scheduled Event' } as const;

/**
 * What the function sends when it seals, beside what it sends to keep the ledger: the index says whose windows there are, a
 * transaction writes a seal with its event, and a mark goes when its seal is there. `Query` is of the table and of its index.
 */
export const SEALING_ACTIONS = ['dynamodb:BatchGetItem', 'dynamodb:Query', 'dynamodb:PutItem', 'dynamodb:BatchWriteItem'] as const;

/** What it sends more where it checks the ledger of the days that it sealed: the mark of one gives way to another in one transaction. */
export const CHECKING_ACTIONS = ['dynamodb:DeleteItem'] as const;

/** Whether the function was invoked by its schedule, and not by the stream. */
export function isScheduleEvent(event: unknown): boolean {
  if (typeof event !== 'object' || event === null) return false;
  return Object.entries(SCHEDULE_EVENT).every(([part, value]) => (event as Record<string, unknown>)[part] === value);
}

/** Refuses what no schedule has sent. */
export function checkScheduleEvent(event: unknown): void {
  if (isScheduleEvent(event)) return;
  throw new TypeError(`the event must be a "Scheduled Event" of aws.events, got ${describeValue(event)}`);
}
