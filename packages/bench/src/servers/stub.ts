import { createServer, type Server } from 'node:http';
import type { StoredItem } from './expression.js';
import { type Expressions, type KeyAttributes, StubTable } from './stub-table.js';

/** An error in DynamoDB's words. */
class Refusal extends Error {
  readonly type: string;
  readonly parts: object;

  constructor(type: string, parts: object = {}) {
    super(type);
    this.type = type;
    this.parts = parts;
  }
}

interface Request extends Expressions {
  readonly TableName: string;
  readonly Key: KeyAttributes;
  readonly KeyConditionExpression?: string;
  readonly KeySchema?: readonly { readonly AttributeName: string; readonly KeyType: string }[];
  readonly ScanIndexForward?: boolean;
  readonly ReturnValues?: string;
  readonly ReturnValuesOnConditionCheckFailure?: string;
  readonly ReturnConsumedCapacity?: string;
  readonly RequestItems?: Readonly<Record<string, { readonly Keys: readonly KeyAttributes[] }>>;
  readonly TransactItems?: readonly Readonly<Record<string, Expressions & { readonly Key: KeyAttributes; readonly Item: StoredItem }>>[];
}

/**
 * A server that speaks enough of DynamoDB for the limiters here, and does next to nothing per request: so the client is
 * what is measured. Every write is applied to items in memory under its real condition; signatures are not looked at.
 */
export class Stub {
  readonly #tables = new Map<string, StubTable>();

  /** Answers one operation; throws a refusal in DynamoDB's words. */
  answer(operation: string, request: Request): object {
    switch (operation) {
      case 'CreateTable':
        this.#tables.set(request.TableName, new StubTable((request.KeySchema ?? []).map(({ AttributeName }) => AttributeName)));
        return this.#description(request.TableName);
      case 'DescribeTable':
        return { Table: this.#description(request.TableName).TableDescription };
      case 'UpdateTimeToLive':
      case 'DescribeTimeToLive':
        return { TimeToLiveDescription: { TimeToLiveStatus: 'DISABLED' } };
      case 'GetItem': {
        const item = this.#table(request.TableName).get(request.Key);
        return { ...(item === undefined ? {} : { Item: item }), ...capacity(request, 0.5) };
      }
      case 'BatchGetItem':
        return this.#batchGet(request);
      case 'Query': {
        const items = this.#table(request.TableName).query(request.KeyConditionExpression ?? '', request);
        return { Items: request.ScanIndexForward === false ? items.reverse() : items, ...capacity(request, 1) };
      }
      case 'Scan':
        return { Items: this.#table(request.TableName).all(), ...capacity(request, 1) };
      case 'UpdateItem':
        return this.#update(request);
      case 'TransactWriteItems':
        return this.#transact(request);
      default:
        throw new Refusal('UnknownOperationException', { message: `the stub does not answer ${operation}` });
    }
  }

  #update(request: Request): object {
    const table = this.#table(request.TableName);
    if (!table.allows(request.Key, request)) {
      const old = request.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' ? table.get(request.Key) : undefined;
      throw new Refusal('ConditionalCheckFailedException', {
        message: 'The conditional request failed',
        ...(old === undefined ? {} : { Item: old }),
      });
    }
    const item = table.update(request.Key, request);
    return { ...(request.ReturnValues === 'ALL_NEW' ? { Attributes: item } : {}), ...capacity(request, 1) };
  }

  #batchGet({ RequestItems: wanted = {}, ReturnConsumedCapacity }: Request): object {
    const found = Object.entries(wanted).map(([name, { Keys: keys }]) => {
      const items = keys.map((key) => this.#table(name).get(key)).filter((item) => item !== undefined);
      return [name, items] as const;
    });
    const units = Object.entries(wanted).map(([TableName, { Keys: keys }]) => ({ TableName, CapacityUnits: keys.length / 2 }));
    return {
      Responses: Object.fromEntries(found),
      UnprocessedKeys: {},
      ...(ReturnConsumedCapacity === undefined ? {} : { ConsumedCapacity: units }),
    };
  }

  #transact({ TransactItems: actions = [] }: Request): object {
    const steps = actions.map((action) => {
      const [kind, parts] = Object.entries(action)[0] as [string, Expressions & Pick<Request, 'Key' | 'TableName'> & { Item: StoredItem }];
      const table = this.#table(parts.TableName);
      const key = kind === 'Put' ? parts.Item : parts.Key;
      return { kind, parts, table, key };
    });
    const reasons = steps.map(({ table, key, parts }) => ({ Code: table.allows(key, parts) ? 'None' : 'ConditionalCheckFailed' }));
    if (reasons.some(({ Code }) => Code !== 'None')) {
      throw new Refusal('TransactionCanceledException', { Message: 'Transaction cancelled', CancellationReasons: reasons });
    }
    for (const { kind, table, key, parts } of steps) {
      if (kind === 'Put') table.put(parts.Item);
      else if (kind === 'Delete') table.delete(key);
      else if (kind === 'Update') table.update(key, parts);
    }
    return {};
  }

  #table(name: string): StubTable {
    const table = this.#tables.get(name);
    if (table === undefined) throw new Refusal('ResourceNotFoundException', { message: `no table ${name}` });
    return table;
  }

  #description(name: string): { readonly TableDescription: object } {
    const KeySchema = this.#table(name).keyNames.map((AttributeName, index) => ({
      AttributeName,
      KeyType: index === 0 ? 'HASH' : 'RANGE',
    }));
    return { TableDescription: { TableName: name, TableStatus: 'ACTIVE', KeySchema } };
  }
}

function capacity({ TableName, ReturnConsumedCapacity }: Request, CapacityUnits: number): object {
  return ReturnConsumedCapacity === undefined ? {} : { ConsumedCapacity: { TableName, CapacityUnits } };
}

/** The stub behind HTTP. */
export function stubServer(stub: Stub = new Stub()): Server {
  return createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const operation = String(incoming.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
      const [status, body] = reply(stub, operation, Buffer.concat(chunks).toString());
      outgoing.writeHead(status, { 'content-type': 'application/x-amz-json-1.0', 'content-length': Buffer.byteLength(body) });
      outgoing.end(body);
    });
  });
}

function reply(stub: Stub, operation: string, body: string): [status: number, body: string] {
  try {
    return [200, JSON.stringify(stub.answer(operation, JSON.parse(body) as Request))];
  } catch (error) {
    const { type, parts } = error instanceof Refusal ? error : new Refusal('ValidationException', { message: String(error) });
    return [400, JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, ...parts })];
  }
}
