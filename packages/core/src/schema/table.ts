import { ATTRIBUTE } from './attributes.js';

/**
 * The table, in the words of DynamoDB's CreateTable. Whatever creates it, a construct or `createTable`, takes it from
 * here, so that the two can never differ.
 */
export const TABLE_DEFINITION = {
  AttributeDefinitions: [
    { AttributeName: ATTRIBUTE.partitionKey, AttributeType: 'S' },
    { AttributeName: ATTRIBUTE.sortKey, AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: ATTRIBUTE.partitionKey, KeyType: 'HASH' },
    { AttributeName: ATTRIBUTE.sortKey, KeyType: 'RANGE' },
  ],
  BillingMode: 'PAY_PER_REQUEST',
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
} as const;

/** The attribute by which DynamoDB deletes what has expired. */
export const TTL_ATTRIBUTE = ATTRIBUTE.ttlSec;
