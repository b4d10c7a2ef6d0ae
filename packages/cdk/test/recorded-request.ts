import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { FinalizeRequestMiddleware } from '@smithy/types';

/** What IAM would judge of one request, or of one item of a transaction. */
export interface RecordedAction {
  /** `dynamodb:UpdateItem` and the like. */
  readonly action: string;
  /** The partition keys that it names, as `dynamodb:LeadingKeys` has them; none for a Scan. */
  readonly leadingKeys: readonly string[];
  readonly index?: string;
}

interface KeyedWire {
  readonly Key?: { readonly PK: { readonly S: string } };
  readonly Item?: { readonly PK: { readonly S: string } };
}

interface RequestWire extends KeyedWire {
  readonly TransactItems?: readonly Readonly<Record<string, KeyedWire>>[];
  readonly RequestItems?: Readonly<Record<string, BatchWire>>;
  readonly IndexName?: string;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Readonly<Record<string, { readonly S?: string }>>;
}

type BatchWire =
  | { readonly Keys: readonly { readonly PK: { readonly S: string } }[] }
  | readonly { readonly DeleteRequest?: KeyedWire; readonly PutRequest?: KeyedWire }[];

const TRANSACTED: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

/** A client that notes what IAM would judge of each request: next to the wire, so that nothing is sent that was not noted. */
export function recordingClient(config: DynamoDBClientConfig): { readonly client: DynamoDBClient; readonly recorded: RecordedAction[] } {
  const client = new DynamoDBClient(config);
  const recorded: RecordedAction[] = [];
  const record: FinalizeRequestMiddleware<object, object> = (next) => (args) => {
    const { headers, body } = args.request as { readonly headers: Readonly<Record<string, string>>; readonly body: string };
    const operation = String(headers['x-amz-target']).split('.').at(-1) as string;
    recorded.push(...actionsOf(operation, JSON.parse(body) as RequestWire));
    return next(args);
  };
  client.middlewareStack.add(record as never, { step: 'finalizeRequest', priority: 'low', name: 'recordActions', override: true });
  return { client, recorded };
}

function actionsOf(operation: string, request: RequestWire): readonly RecordedAction[] {
  if (operation === 'TransactWriteItems') {
    return (request.TransactItems ?? []).flatMap((item) =>
      Object.entries(item).map(([kind, wire]) => ({ action: `dynamodb:${TRANSACTED[kind] ?? kind}`, leadingKeys: [keyOf(wire)] })),
    );
  }
  const index = request.IndexName === undefined ? {} : { index: request.IndexName };
  return [{ action: `dynamodb:${operation}`, leadingKeys: leadingKeysOf(operation, request), ...index }];
}

function leadingKeysOf(operation: string, request: RequestWire): readonly string[] {
  if (operation === 'Scan' || operation.startsWith('Describe')) return [];
  if (operation === 'Query') return [queriedKey(request)];
  if (request.RequestItems === undefined) return [keyOf(request)];
  return Object.values(request.RequestItems).flatMap((batch) =>
    'Keys' in batch ? batch.Keys.map(({ PK }) => PK.S) : batch.map((write) => keyOf(write.DeleteRequest ?? write.PutRequest ?? {})),
  );
}

function keyOf({ Key: key, Item: item }: KeyedWire): string {
  const text = (key ?? item)?.PK.S;
  if (text === undefined) throw new Error('a request whose partition key this recorder does not find');
  return text;
}

/** The key that a Query says with `=`: of the table, or of the index. */
function queriedKey(request: RequestWire): string {
  const [, value = ''] = /=\s*(:\w+)/.exec(request.KeyConditionExpression ?? '') ?? [];
  const text = request.ExpressionAttributeValues?.[value]?.S;
  if (text === undefined) throw new Error(`a Query whose partition key this recorder does not find: ${request.KeyConditionExpression}`);
  return text;
}
