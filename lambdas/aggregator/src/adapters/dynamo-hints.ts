import { ConditionalCheckFailedException, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { bucketName, type Clock, splitHintRequest } from '@millrace/core';
import type { HintStore, HotItem } from '../split-hints.js';
import { Remembering } from './remembering.js';
import type { Sender } from './sender.js';

const MOST_ITEMS = 10_000;
/** A hint is obeyed for a minute: one that stays true is left again before that. */
const HINT_AGAIN_MS = 30_000;

/** Hints on the items: one write unit for each item that is hot, twice a minute as long as it stays so. */
export class DynamoHints implements HintStore {
  readonly #sender: Sender;
  readonly #table: string;
  readonly #left: Remembering<void>;

  constructor(sender: Sender, table: string, clock: Clock) {
    this.#sender = sender;
    this.#table = table;
    this.#left = new Remembering(clock, HINT_AGAIN_MS, MOST_ITEMS);
  }

  hint(item: HotItem): Promise<void> {
    return this.#left.get(`${bucketName(item.ref)} ${item.layout}`, async () => {
      const command = new UpdateItemCommand(splitHintRequest(this.#table, item.ref, item));
      try {
        await this.#sender.run((client, abortSignal) => client.send(command, { abortSignal }));
      } catch (error) {
        // It was split, or has expired, since.
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      }
    });
  }
}
