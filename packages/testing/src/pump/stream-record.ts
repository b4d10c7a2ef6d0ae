import type { WireItem } from '@millrace/core';

/** A record of a table's stream in the form in which Lambda hands it to a function. */
export interface LambdaStreamRecord {
  readonly eventID: string;
  readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly eventVersion: string;
  readonly eventSource: 'aws:dynamodb';
  readonly awsRegion: string;
  readonly eventSourceARN: string;
  /** Who deleted the item, if DynamoDB did because it had expired. */
  readonly userIdentity?: { readonly type: string; readonly principalId: string };
  readonly dynamodb: {
    /** In seconds: Lambda tells no more. */
    readonly ApproximateCreationDateTime: number;
    readonly Keys: WireItem;
    readonly NewImage?: WireItem;
    readonly OldImage?: WireItem;
    readonly SequenceNumber: string;
    readonly SizeBytes: number;
    readonly StreamViewType: 'NEW_AND_OLD_IMAGES';
  };
}

/** What Lambda invokes a function with. */
export interface LambdaStreamEvent {
  readonly Records: readonly LambdaStreamRecord[];
}

/** What the pump tells the function about an invocation. */
export interface LambdaContext {
  readonly awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

/** What a function may answer: the records that it could not handle. Nothing, or an empty list, is a success. */
export interface BatchResponse {
  readonly batchItemFailures?: readonly { readonly itemIdentifier: string }[];
}

/** A function behind a stream. */
export type StreamHandler = (event: LambdaStreamEvent, context: LambdaContext) => Promise<BatchResponse | undefined>;

/** A piece of a stream whose records have an order. */
export interface StreamShard {
  readonly id: string;
  /** The shard that this one goes on from: it is read to its end first. */
  readonly parent?: string;
}

/** What was read of a shard. */
export interface StreamPage {
  readonly records: readonly LambdaStreamRecord[];
  /** Nothing comes after these records, ever. */
  readonly isEnd: boolean;
}

/** Where a pump gets its records from. */
export interface StreamSource {
  shards(): Promise<readonly StreamShard[]>;
  /** Records of a shard behind a sequence number, or from its start. An empty page means that there is none at the moment. */
  read(shard: string, after: string | undefined, limit: number): Promise<StreamPage>;
}
