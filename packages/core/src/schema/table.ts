import { ATTRIBUTE } from './attributes.js';

/** The sparse index of usage windows: which entities used a resource in a window. Buckets never are in it. */
export const WINDOW_INDEX = 'windows';

/**
 * The table, in the words of DynamoDB's CreateTable. Whatever creates it, a construct or `createTable`, takes it from
 * here, so that the two can never differ.
 */
export const TABLE_DEFINITION = {
  AttributeDefinitions: [
    { AttributeName: ATTRIBUTE.partitionKey, AttributeType: 'S' },
    { AttributeName: ATTRIBUTE.sortKey, AttributeType: 'S' },
    { AttributeName: ATTRIBUTE.windowName, AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: ATTRIBUTE.partitionKey, KeyType: 'HASH' },
    { AttributeName: ATTRIBUTE.sortKey, KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: WINDOW_INDEX,
      KeySchema: [
        { AttributeName: ATTRIBUTE.windowName, KeyType: 'HASH' },
        { AttributeName: ATTRIBUTE.partitionKey, KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
  ],
  BillingMode: 'PAY_PER_REQUEST',
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
} as const;

/** The attribute by which DynamoDB deletes what has expired. */
export const TTL_ATTRIBUTE = ATTRIBUTE.ttlSec;
