import { DynamoDBClient, type DynamoDBClientConfig, GetItemCommand } from '@aws-sdk/client-dynamodb';
import {
  bucketFromItem,
  bucketReadRequest,
  type GetItemWire,
  namespaceFromItem,
  namespaceReadRequest,
  type WireItem,
} from '@millrace/core';

/** By entity and limit: tokens taken less tokens given back. */
export type Books = ReadonlyMap<string, ReadonlyMap<string, number>>;

/**
 * Reads from the table what it holds of each entity. A bucket counts all that was ever taken and given back, rejected
 * cascades included, so the difference is what its callers must admit to, to the token.
 */
export async function readBooks(
  connection: DynamoDBClientConfig,
  table: string,
  entities: readonly string[],
  resource: string,
): Promise<Books> {
  const client = new DynamoDBClient(connection);
  try {
    const namespace = await get(client, namespaceReadRequest(table, 'default'));
    if (namespace === undefined) throw new Error(`table "${table}" has no namespace "default"; it was created with createTable`);
    const { id: namespaceId } = namespaceFromItem(namespace);
    return new Map(
      await Promise.all(
        entities.map(async (entity) => {
          const item = await get(client, bucketReadRequest(table, { namespaceId, entity, resource, shard: 0 }));
          return [entity, item === undefined ? new Map() : netTokens(item)] as const;
        }),
      ),
    );
  } finally {
    client.destroy();
  }
}

function netTokens(item: WireItem): ReadonlyMap<string, number> {
  return new Map([...bucketFromItem(item).limits].map(([limit, { used, returned }]) => [limit, Number(used - returned)]));
}

async function get(client: DynamoDBClient, request: GetItemWire): Promise<WireItem | undefined> {
  const { Item: item } = await client.send(new GetItemCommand(request));
  return item as WireItem | undefined;
}
