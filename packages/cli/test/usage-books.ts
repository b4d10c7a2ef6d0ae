import { DynamoDBClient, ScanCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { counterBase, WINDOW_TYPES, type WireItem } from '@millrace/core';
import { type BucketStep, DEFAULT_RETENTION, reduceSteps, type SendWindowUpdate, widenBy } from '@millrace/ledger';
import type { CommandLine } from './command-line.js';

/** What was used, or given back where it is below 0; whether its record was lost. */
export interface Use {
  readonly at: string;
  readonly tokens: number;
  readonly isLost?: boolean;
}

/** Books usage in a table as the aggregator does, of buckets that have expired since. */
export class UsageBooks {
  readonly #here: CommandLine;
  readonly #client: DynamoDBClient;

  constructor(here: CommandLine) {
    this.#here = here;
    const { endpoint, region, credentials } = here.engine;
    this.#client = new DynamoDBClient({ endpoint, region, credentials });
  }

  /** The records of one bucket item, in the order in which they were made. */
  async book(entity: string, resource: string, limit: string, uses: readonly Use[], shard = 0): Promise<void> {
    const ref = { namespaceId: await this.#namespaceId(), entity, resource, shard };
    const eraUs = Date.parse(uses[0]?.at ?? '') * 1_000;
    let [used, returned] = [counterBase(eraUs), counterBase(eraUs)];
    const steps: BucketStep[] = [];
    for (const [index, { at, tokens, isLost }] of uses.entries()) {
      const before = { used, returned };
      if (tokens >= 0) used += BigInt(tokens);
      else returned += BigInt(-tokens);
      const step = { used: { from: before.used, to: used }, returned: { from: before.returned, to: returned }, isBirth: index === 0 };
      const seq = { from: eraUs + index, to: eraUs + index + 1 };
      if (isLost !== true) steps.push({ ref, eraUs, atMs: Date.parse(at), seq, limits: new Map([[limit, step]]) });
    }
    for (const change of reduceSteps(steps, () => 'UTC', WINDOW_TYPES))
      await widenBy(this.#send, this.#here.table, change, DEFAULT_RETENTION);
  }

  readonly #send: SendWindowUpdate = async (request) => {
    try {
      await this.#client.send(new UpdateItemCommand(request));
      return { isRefused: false };
    } catch (error) {
      if ((error as Error).name !== 'ConditionalCheckFailedException') throw error;
      const { Item: item } = error as { readonly Item?: WireItem };
      return { isRefused: true, ...(item === undefined ? {} : { item }) };
    }
  };

  async #namespaceId(): Promise<string> {
    const { Items: items = [] } = await this.#client.send(new ScanCommand({ TableName: this.#here.table }));
    return items.find((item) => item['PK']?.S === '_/namespaces' && item['name']?.S === 'default')?.['id']?.S ?? '';
  }

  close(): void {
    this.#client.destroy();
  }
}
