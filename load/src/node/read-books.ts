import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import {
  ATTRIBUTE,
  type BucketRef,
  bucketFromItem,
  layoutOf,
  parseBucketKey,
  shardCount,
  shardTiming,
  textAt,
  timingOf,
  type WireItem,
} from '@millrace/core';
import type { Book } from '../plan/exactness.js';
import { limitOf } from '../plan/exactness.js';
import type { World } from '../plan/scenario.js';
import type { Connection } from './site.js';

const SEGMENTS = 4;

/** Where the books of a run are. */
interface Shelf {
  readonly connection: Connection;
  readonly table: string;
  /** The id of the namespace that the run had to itself; absent where it had the whole table. */
  readonly namespaceId?: string;
}

/** Reads every bucket of a run, all of its items together. `endMs` is when the run had ended: debts are those of then. */
export async function readBooks({ connection, table, namespaceId }: Shelf, world: World, endMs: number): Promise<readonly Book[]> {
  const client = new DynamoDBClient(connection);
  const books = new Map<string, Book>();
  try {
    await Promise.all(
      Array.from({ length: SEGMENTS }, async (_, segment) => {
        const scan = { TableName: table, ConsistentRead: true, Segment: segment, TotalSegments: SEGMENTS };
        for await (const page of paginateScan({ client }, scan)) {
          for (const item of (page.Items ?? []) as WireItem[]) {
            const ref = parseBucketKey(textAt(item, ATTRIBUTE.partitionKey) ?? '', textAt(item, ATTRIBUTE.sortKey) ?? '');
            if (ref !== undefined && (namespaceId ?? ref.namespaceId) === ref.namespaceId) enter(books, item, ref, world, endMs);
          }
        }
      }),
    );
  } finally {
    client.destroy();
  }
  return [...books.values()];
}

function enter(books: Map<string, Book>, item: WireItem, { entity, resource }: BucketRef, world: World, endMs: number): void {
  const state = bucketFromItem(item);
  for (const [limit, { tatUs, used, returned }] of state.limits) {
    const key = JSON.stringify([entity, resource, limit]);
    const sinceMs = Math.floor((state.eraUs ?? endMs * 1_000) / 1_000);
    const planned = limitOf(world, { entity, resource, limit });
    const timing = planned && shardTiming(timingOf(planned), shardCount(layoutOf(state)));
    const debtUs = timing === undefined ? 0 : tatUs - endMs * 1_000 - timing.toleranceUs;
    const debt = timing === undefined || debtUs <= 0 ? 0 : Math.ceil((debtUs * timing.refill) / timing.periodUs);
    const before = books.get(key) ?? { entity, resource, limit, net: 0, debt: 0, sinceMs };
    const net = before.net + Number(used - returned);
    books.set(key, { ...before, net, debt: before.debt + debt, sinceMs: Math.min(before.sinceMs, sinceMs) });
  }
}
