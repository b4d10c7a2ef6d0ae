import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { ATTRIBUTE, type Clock, type OpenPeriod, openPeriodKey, SCHEMA_VERSION, type WindowType, wireKey } from '@millrace/core';
import { markExpiresSec } from '../mark-life.js';
import type { PeriodMarks } from '../ports.js';
import { Remembering } from './remembering.js';
import type { Sender } from './sender.js';

const MOST_PERIODS = 10_000;

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
          [ATTRIBUTE.ttlSec]: { N: String(markExpiresSec(period.endMs)) },
        },
      });
      await this.#sender.run((client, abortSignal) => client.send(command, { abortSignal }));
    });
  }
}
