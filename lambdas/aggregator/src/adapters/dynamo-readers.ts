import { BatchGetItemCommand, GetItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import {
  ATTRIBUTE,
  type Clock,
  configFromItems,
  configReadRequest,
  configRefs,
  type Limit,
  resolveConfig,
  textAt,
  usagePartition,
  usageSort,
  type WireItem,
  wireKey,
  zoneKey,
} from '@millrace/core';
import { DEFAULT_ZONE, totalUsage, type UsageWindowItem, windowFromItem } from '@millrace/ledger';
import type { ZoneReader } from '../ports.js';
import type { LimitsReader, UsagePlace, UsageReader } from '../threshold-watch.js';
import { Remembering } from './remembering.js';
import type { Sender } from './sender.js';

const MOST_NAMESPACES = 10_000;
const MOST_ENTITIES = 10_000;
const LIMITS_FOR_MS = 60_000;

/** Zones from the table. The zone of a namespace never changes, so each is read once in a process's life. */
export class DynamoZones implements ZoneReader {
  readonly #sender: Sender;
  readonly #table: string;
  readonly #zones: Remembering<string>;

  constructor(sender: Sender, table: string, clock: Clock) {
    this.#sender = sender;
    this.#table = table;
    this.#zones = new Remembering(clock, Number.POSITIVE_INFINITY, MOST_NAMESPACES);
  }

  zoneOf(namespaceId: string): Promise<string> {
    return this.#zones.get(namespaceId, async () => {
      const command = new GetItemCommand({ TableName: this.#table, Key: wireKey(zoneKey(namespaceId)), ConsistentRead: true });
      const { Item: item } = await this.#sender.run((client, abortSignal) => client.send(command, { abortSignal }));
      return textAt((item ?? {}) as WireItem, ATTRIBUTE.zone) ?? DEFAULT_ZONE;
    });
  }
}

/** Stored limits, remembered for a minute: a change may be a minute late for a threshold. One request for an entity on a resource. */
export class DynamoLimits implements LimitsReader {
  readonly #sender: Sender;
  readonly #table: string;
  readonly #limits: Remembering<readonly Limit[]>;

  constructor(sender: Sender, table: string, clock: Clock) {
    this.#sender = sender;
    this.#table = table;
    this.#limits = new Remembering(clock, LIMITS_FOR_MS, MOST_ENTITIES);
  }

  limitsOf(namespaceId: string, entity: string, resource: string): Promise<readonly Limit[]> {
    return this.#limits.get(JSON.stringify([namespaceId, entity, resource]), () => this.#read(namespaceId, entity, resource));
  }

  async #read(namespaceId: string, entity: string, resource: string): Promise<readonly Limit[]> {
    const refs = configRefs(entity, resource);
    const command = new BatchGetItemCommand(configReadRequest(this.#table, namespaceId, refs, false));
    const { Responses: found, UnprocessedKeys: left } = await this.#sender.run((client, abortSignal) =>
      client.send(command, { abortSignal }),
    );
    // Half an answer would be another configuration.
    if (Object.keys(left ?? {}).length > 0) throw new Error(`the limits of "${entity}" could not all be read: the table is busy`);
    const entries = configFromItems(namespaceId, refs, (found?.[this.#table] ?? []) as WireItem[]);
    const [lineage = {}, ofEntity = {}, entityDefault = {}, ofResource = {}, system = {}] = entries;
    return resolveConfig({ lineage, entity: ofEntity, entityDefault, resource: ofResource, system }).limits ?? [];
  }
}

/** The usage of a window, summed over the shards and eras of its bucket: one Query, of as many items. */
export class DynamoUsage implements UsageReader {
  readonly #sender: Sender;
  readonly #table: string;

  constructor(sender: Sender, table: string) {
    this.#sender = sender;
    this.#table = table;
  }

  async usageOf({ namespaceId, entity, resource, type, startMs }: UsagePlace): Promise<ReadonlyMap<string, number>> {
    const windows: UsageWindowItem[] = [];
    let start: WireItem | undefined;
    do {
      const command = new QueryCommand({
        TableName: this.#table,
        KeyConditionExpression: '#p = :p AND begins_with(#s, :s)',
        ExpressionAttributeNames: { '#p': ATTRIBUTE.partitionKey, '#s': ATTRIBUTE.sortKey },
        ExpressionAttributeValues: {
          ':p': { S: usagePartition(namespaceId, entity) },
          ':s': { S: `${usageSort(type, resource, startMs)}/` },
        },
        ConsistentRead: true,
        ...(start === undefined ? {} : { ExclusiveStartKey: start }),
      });
      const page = await this.#sender.run((client, abortSignal) => client.send(command, { abortSignal }));
      windows.push(...(page.Items ?? []).map((item) => windowFromItem(item as WireItem)));
      start = page.LastEvaluatedKey as WireItem | undefined;
    } while (start !== undefined);
    return new Map([...totalUsage(windows)].map(([limit, { net }]) => [limit, Number(net)]));
  }
}
