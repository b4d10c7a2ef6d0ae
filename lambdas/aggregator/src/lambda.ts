import { awsHandler, awsSealer } from './adapters/aws-handler.js';
import { environmentOf } from './environment.js';
import type { Handler } from './handler.js';
import { isScheduleEvent } from './schedule-event.js';
import type { SealAnswer, Sealer } from './sealer.js';
import type { BatchResponse, InvocationContext } from './stream-event.js';

let [aggregate, seal]: [Handler | undefined, Sealer | undefined] = [undefined, undefined];

/**
 * What Lambda invokes: for the table's stream, or, to seal what is over, by a schedule. Each is made at its first
 * invocation, so that a wrong environment is told there, and importing costs nothing.
 */
export const handler = async (event: unknown, context: InvocationContext): Promise<BatchResponse | SealAnswer> => {
  if (isScheduleEvent(event)) {
    seal ??= awsSealer(environmentOf(process.env));
    return seal(event, context);
  }
  aggregate ??= awsHandler(environmentOf(process.env));
  return aggregate(event, context);
};
