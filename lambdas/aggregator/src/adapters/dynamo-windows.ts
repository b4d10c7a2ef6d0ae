import { ConditionalCheckFailedException, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { WindowType, WireItem } from '@millrace/core';
import {
  beginsLate,
  type Retention,
  type WindowChange,
  type WindowReply,
  type WindowStore,
  type WindowUpdateWire,
  widenBy,
} from '@millrace/ledger';
import type { Sender } from './sender.js';

/** Usage windows in the table. The SDK may repeat their writes: each may arrive any number of times. */
export class DynamoWindowStore implements WindowStore {
  readonly #sender: Sender;
  readonly #table: string;
  readonly #retention: Retention;
  readonly #gapType: WindowType;
  #gaps = 0;

  /** `gapType` is the type of windows in which gaps are counted: the longest one that is kept, in which most can be seen. */
  constructor(sender: Sender, table: string, retention: Retention, gapType: WindowType = 'month') {
    this.#sender = sender;
    this.#table = table;
    this.#retention = retention;
    this.#gapType = gapType;
  }

  /** Changes since it was last asked that began further up than their window had ended: a record between is missing. */
  takeGaps(): number {
    const taken = this.#gaps;
    this.#gaps = 0;
    return taken;
  }

  widen(change: WindowChange): Promise<'written' | 'known'> {
    return widenBy((request) => this.#send(request, change), this.#table, change, this.#retention);
  }

  async #send(request: WindowUpdateWire, change: WindowChange): Promise<WindowReply> {
    try {
      const answer = await this.#sender.run((client, abortSignal) => client.send(new UpdateItemCommand(request), { abortSignal }));
      if (change.ref.type === this.#gapType && beginsLate((answer.Attributes ?? {}) as WireItem, change)) this.#gaps += 1;
      return { isRefused: false };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return { isRefused: true, ...(error.Item === undefined ? {} : { item: error.Item as WireItem }) };
    }
  }
}
