import type { TableDescription } from '@aws-sdk/client-dynamodb';
import { TABLE_DEFINITION } from '@millrace/core';

const [DEFINITION] = TABLE_DEFINITION.GlobalSecondaryIndexes;

/**
 * How the index of usage windows is. `missing`: the table was made before there was one; `building`: DynamoDB fills it, and
 * queries of it are refused until it is done; `unlike`: one of its name is there, with other keys.
 */
export type WindowIndexState = 'usable' | 'building' | 'missing' | 'unlike';

/** Reads the state of the index off what DynamoDB says of the table. */
export function windowIndexState(described: TableDescription | undefined): WindowIndexState {
  const index = described?.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === DEFINITION.IndexName);
  if (index === undefined) return 'missing';
  const keys = (schema: TableDescription['KeySchema']): string =>
    (schema ?? []).map(({ AttributeName, KeyType }) => `${AttributeName} ${KeyType}`).join();
  if (keys(index.KeySchema) !== keys([...DEFINITION.KeySchema])) return 'unlike';
  // One that is updated can be queried meanwhile.
  return index.IndexStatus === 'CREATING' || index.IndexStatus === 'DELETING' ? 'building' : 'usable';
}
