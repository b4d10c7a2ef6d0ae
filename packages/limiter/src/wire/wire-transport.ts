import type { BatchGetWire, GetItemWire, UpdateItemWire, WireItem } from '@millrace/core';
import type { Consumed } from './consumed-units.js';

/** The operations of the hot path: what is asked for, and what comes back, in DynamoDB's own JSON. */
export interface WireOperations {
  readonly UpdateItem: { readonly request: UpdateItemWire; readonly reply: UpdateReply };
  readonly GetItem: { readonly request: GetItemWire; readonly reply: GetReply };
  readonly BatchGetItem: { readonly request: BatchGetWire; readonly reply: BatchGetReply };
}

export type WireOperation = keyof WireOperations;

/** A write, or a condition that did not hold, which is an answer and no error. */
export type UpdateReply =
  | { readonly isRefused: false; readonly Attributes?: WireItem | undefined }
  | { readonly isRefused: true; readonly Item?: WireItem | undefined };

interface GetReply extends Consumed {
  readonly Item?: WireItem | undefined;
}

interface BatchGetReply extends Consumed {
  readonly Responses?: Readonly<Record<string, WireItem[]>> | undefined;
  readonly UnprocessedKeys?: BatchGetWire['RequestItems'] | undefined;
}

/**
 * Carries the requests of the hot path to DynamoDB: each once, within a deadline, and counted. There are two, and what
 * fails fails alike in both: whatever is no answer is a `StoreFailure`, and says whether it may have changed something.
 */
export interface WireTransport {
  send<O extends WireOperation>(operation: O, request: WireOperations[O]['request']): Promise<WireOperations[O]['reply']>;
  /** Sends an UpdateItem whose JSON is made already; absent where a transport makes its own. */
  sendText?(update: string): Promise<UpdateReply>;
}
