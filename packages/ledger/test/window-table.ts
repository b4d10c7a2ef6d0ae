import { ConditionalCheckFailedException, DynamoDBClient, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { usageKey, type WindowRef, type WireItem, wireKey } from '@millrace/core';
import {
  DEFAULT_RETENTION,
  type Retention,
  type UsageWindowItem,
  type WindowChange,
  type WindowReply,
  type WindowUpdateWire,
  widenBy,
  windowFromItem,
} from '@millrace/ledger';
import type { LocalEngine } from '@millrace/testing';
import type { ReadableWindowStore } from '@millrace/testing/contract';

/** As little as can send the ledger's requests to a table. */
export class WindowTable implements ReadableWindowStore {
  readonly #client: DynamoDBClient;
  readonly #table: string;
  readonly #retention: Retention;
  /** How many updates were sent. */
  sent = 0;

  constructor(engine: LocalEngine, table: string, retention: Retention = DEFAULT_RETENTION) {
    const { endpoint, region, credentials } = engine;
    this.#client = new DynamoDBClient({ endpoint, region, credentials });
    this.#table = table;
    this.#retention = retention;
  }

  widen(change: WindowChange): Promise<'written' | 'known'> {
    return widenBy((request) => this.send(request), this.#table, change, this.#retention);
  }

  async send(request: WindowUpdateWire): Promise<WindowReply> {
    this.sent += 1;
    try {
      await this.#client.send(new UpdateItemCommand(request));
      return { isRefused: false };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return error.Item === undefined ? { isRefused: true } : { isRefused: true, item: error.Item as WireItem };
    }
  }

  async item(ref: WindowRef): Promise<WireItem | undefined> {
    const { Item } = await this.#client.send(
      new GetItemCommand({ TableName: this.#table, Key: wireKey(usageKey(ref)), ConsistentRead: true }),
    );
    return Item as WireItem | undefined;
  }

  async read(ref: WindowRef): Promise<UsageWindowItem | undefined> {
    const item = await this.item(ref);
    return item === undefined ? undefined : windowFromItem(item);
  }

  close(): void {
    this.#client.destroy();
  }
}
