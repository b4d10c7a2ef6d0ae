import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { ATTRIBUTE, type Clock, type OpenPeriod, openPeriodKey, SCHEMA_VERSION, type WindowType, wireKey } from '@millrace/core';
import type { PeriodMarks } from '../ports.js';
import { Remembering } from './remembering.js';
import type { Sender } from './sender.js';

const MOST_PERIODS = 10_000;
const DAY_SEC = 86_400;
/** A mark that nobody has ever looked at goes in the end: whoever turns sealing off leaves nothing behind for ever. */
const KEPT_DAYS = 400;

/** Marks in the table: one write unit for each period of a resource and each process of the function. */
export class DynamoMarks implements PeriodMarks {
  readonly types: readonly WindowType[];
  readonly #sender: Sender;
  readonly #table: string;
  readonly #marked: Remembering<void>;

  constructor(sender: Sender, table: string, types: readonly WindowType[], clock: Clock) {
    this.#sender = sender;
    this.#table = table;
    this.types = types;
    this.#marked = new Remembering(clock, Number.POSITIVE_INFINITY, MOST_PERIODS);
  }

  mark(period: OpenPeriod): Promise<void> {
    const key = openPeriodKey(period);
    return this.#marked.get(`${key.partition}\n${key.sort}`, async () => {
      const command = new PutItemCommand({
        TableName: this.#table,
        Item: {
          ...wireKey(key),
          [ATTRIBUTE.schemaVersion]: { N: String(SCHEMA_VERSION) },
          [ATTRIBUTE.ttlSec]: { N: String(Math.floor(period.endMs / 1_000) + KEPT_DAYS * DAY_SEC) },
        },
      });
      await this.#sender.run((client, abortSignal) => client.send(command, { abortSignal }));
    });
  }
}
