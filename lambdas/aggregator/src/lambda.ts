import { awsHandler } from './adapters/aws-handler.js';
import { environmentOf } from './environment.js';
import type { Handler } from './handler.js';

let made: Handler | undefined;

/** What Lambda invokes. It is made at the first invocation, so that a wrong environment is told there, and importing costs nothing. */
export const handler: Handler = (event, context) => {
  made ??= awsHandler(environmentOf(process.env));
  return made(event, context);
};
