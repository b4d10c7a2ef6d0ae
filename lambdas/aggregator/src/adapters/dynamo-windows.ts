import { ConditionalCheckFailedException, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { WireItem } from '@millrace/core';
import { type Retention, type WindowChange, type WindowReply, type WindowStore, type WindowUpdateWire, widenBy } from '@millrace/ledger';
import type { Sender } from './sender.js';

/** Usage windows in the table. The SDK may repeat their writes: each may arrive any number of times. */
export class DynamoWindowStore implements WindowStore {
  readonly #sender: Sender;
  readonly #table: string;
  readonly #retention: Retention;

  constructor(sender: Sender, table: string, retention: Retention) {
    this.#sender = sender;
    this.#table = table;
    this.#retention = retention;
  }

  widen(change: WindowChange): Promise<'written' | 'known'> {
    return widenBy((request) => this.#send(request), this.#table, change, this.#retention);
  }

  async #send(request: WindowUpdateWire): Promise<WindowReply> {
    try {
      await this.#sender.run((client, abortSignal) => client.send(new UpdateItemCommand(request), { abortSignal }));
      return { isRefused: false };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return { isRefused: true, ...(error.Item === undefined ? {} : { item: error.Item as WireItem }) };
    }
  }
}
