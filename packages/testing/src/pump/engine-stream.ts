import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type Shard,
  type _Record as StreamedRecord,
} from '@aws-sdk/client-dynamodb-streams';
import type { WireItem } from '@millrace/core';
import type { LocalEngine } from '../engines/index.js';
import type { LambdaStreamRecord, StreamPage, StreamShard, StreamSource } from './stream-record.js';

const MAX_PAGE = 1_000;

/** Where the table is whose stream is read. */
export type StreamConnection = Pick<LocalEngine, 'endpoint' | 'region' | 'credentials'>;

/** The stream of a table on an engine that runs. */
export class EngineStream implements StreamSource {
  readonly #client: DynamoDBStreamsClient;
  readonly #arn: string;
  readonly #region: string;
  /** The engine's place in a shard, and the record behind which that is. */
  readonly #places = new Map<string, { readonly after: string | undefined; readonly iterator: string }>();

  private constructor(client: DynamoDBStreamsClient, arn: string, region: string) {
    this.#client = client;
    this.#arn = arn;
    this.#region = region;
  }

  /** Finds the stream of a table; an `Error` if the table has none. */
  static async open(connection: StreamConnection, table: string): Promise<EngineStream> {
    const { endpoint, region, credentials } = connection;
    const tables = new DynamoDBClient({ endpoint, region, credentials });
    try {
      const { Table: description } = await tables.send(new DescribeTableCommand({ TableName: table }));
      const arn = description?.LatestStreamArn;
      if (arn === undefined) throw new Error(`table "${table}" has no stream: create it with one, as createTable does`);
      return new EngineStream(new DynamoDBStreamsClient({ endpoint, region, credentials }), arn, region);
    } finally {
      tables.destroy();
    }
  }

  async shards(): Promise<readonly StreamShard[]> {
    const found: Shard[] = [];
    let last: string | undefined;
    do {
      const { StreamDescription: page } = await this.#client.send(
        new DescribeStreamCommand({ StreamArn: this.#arn, ...(last === undefined ? {} : { ExclusiveStartShardId: last }) }),
      );
      found.push(...(page?.Shards ?? []));
      last = page?.LastEvaluatedShardId;
    } while (last !== undefined);
    return found.flatMap(({ ShardId: id, ParentShardId: parent }) =>
      id === undefined ? [] : [{ id, ...(parent === undefined ? {} : { parent }) }],
    );
  }

  async read(shard: string, after: string | undefined, limit: number): Promise<StreamPage> {
    const iterator = await this.#placeOf(shard, after);
    if (iterator === undefined) return { records: [], isEnd: true };
    const page = await this.#client.send(new GetRecordsCommand({ ShardIterator: iterator, Limit: Math.min(limit, MAX_PAGE) }));
    const records = (page.Records ?? []).map((record) => this.#lambdaRecord(record));
    const last = records.at(-1)?.dynamodb.SequenceNumber ?? after;
    if (page.NextShardIterator === undefined) this.#places.delete(shard);
    else this.#places.set(shard, { after: last, iterator: page.NextShardIterator });
    return { records, isEnd: page.NextShardIterator === undefined };
  }

  /** Ends the connections. */
  close(): void {
    this.#client.destroy();
  }

  async #placeOf(shard: string, after: string | undefined): Promise<string | undefined> {
    const place = this.#places.get(shard);
    if (place !== undefined && place.after === after) return place.iterator;
    const from =
      after === undefined
        ? ({ ShardIteratorType: 'TRIM_HORIZON' } as const)
        : ({ ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: after } as const);
    const { ShardIterator: iterator } = await this.#client.send(
      new GetShardIteratorCommand({ StreamArn: this.#arn, ShardId: shard, ...from }),
    );
    return iterator;
  }

  #lambdaRecord(record: StreamedRecord): LambdaStreamRecord {
    const { dynamodb = {}, userIdentity } = record;
    return {
      eventID: record.eventID ?? '',
      eventName: record.eventName ?? 'MODIFY',
      eventVersion: record.eventVersion ?? '1.1',
      eventSource: 'aws:dynamodb',
      awsRegion: record.awsRegion ?? this.#region,
      eventSourceARN: this.#arn,
      ...(userIdentity === undefined
        ? {}
        : { userIdentity: { type: userIdentity.Type ?? '', principalId: userIdentity.PrincipalId ?? '' } }),
      dynamodb: {
        ApproximateCreationDateTime: Math.floor((dynamodb.ApproximateCreationDateTime?.getTime() ?? 0) / 1000),
        Keys: lambdaItem(dynamodb.Keys),
        ...(dynamodb.NewImage === undefined ? {} : { NewImage: lambdaItem(dynamodb.NewImage) }),
        ...(dynamodb.OldImage === undefined ? {} : { OldImage: lambdaItem(dynamodb.OldImage) }),
        SequenceNumber: dynamodb.SequenceNumber ?? '',
        SizeBytes: dynamodb.SizeBytes ?? 0,
        StreamViewType: 'NEW_AND_OLD_IMAGES',
      },
    };
  }
}

/** An image as it is after a journey through JSON: bytes are text in base 64. */
function lambdaItem(image: unknown): WireItem {
  const json = JSON.stringify(image ?? {}, (_, value) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value));
  return JSON.parse(json) as WireItem;
}
