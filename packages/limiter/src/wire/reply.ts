import type { WireItem } from '@millrace/core';
import type { Consumed } from './consumed-units.js';
import { errorOf, WireError } from './wire-error.js';
import type { WireOperation } from './wire-transport.js';

/** The header `x-amz-target` of each operation. */
export const OPERATION_TARGET: Readonly<Record<WireOperation, string>> = {
  UpdateItem: 'DynamoDB_20120810.UpdateItem',
  GetItem: 'DynamoDB_20120810.GetItem',
  BatchGetItem: 'DynamoDB_20120810.BatchGetItem',
};

/** A whole reply as it came over HTTP. */
export interface TextReply {
  readonly status: number;
  /** The header `date`; undefined if there is none. */
  readonly date: string | undefined;
  readonly text: string;
}

/** What a reply says: the answer of a transport, and what it cost where it says so. */
export interface ReadReply {
  readonly answer: object;
  readonly consumed: Consumed | undefined;
}

/** A body of DynamoDB's, as far as it is looked at here. */
interface ReplyBody extends Consumed {
  readonly Attributes?: WireItem;
  readonly Item?: WireItem;
}

const REFUSED = 'ConditionalCheckFailedException';

/**
 * Reads a reply. A condition that did not hold is an answer.
 *
 * @throws an error with the marks that `failureFor` reads, for whatever else is no success
 */
export function readReply(operation: WireOperation, reply: TextReply): ReadReply {
  if (reply.status === 200) {
    const body = JSON.parse(reply.text) as ReplyBody;
    return { answer: operation === 'UpdateItem' ? { isRefused: false, Attributes: body.Attributes } : body, consumed: body };
  }
  const said = parsed(reply.text);
  // What is no whole reply says nothing; the SDK, too, fails at reading it.
  const isTorn = said === undefined && reply.text.length > 0 && reply.status < 500;
  const error = isTorn ? new WireError('SyntaxError', 'the reply is not whole', reply) : errorOf(reply, said);
  if (error.name === REFUSED) return { answer: { isRefused: true, Item: (said as ReplyBody).Item }, consumed: undefined };
  throw error;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
