import type { GetItemWire, UpdateItemWire } from '@millrace/core';
import { type ConnectionOptions, connect } from '../src/dynamo/client.js';
import type { LeanOptions } from '../src/dynamo/lean/lean-transport.js';
import { openTransport, type TransportName } from '../src/dynamo/open-transport.js';
import type { WireTransport } from '../src/wire/wire-transport.js';

export const TABLE = 'millrace-test';
export const TRANSPORTS: readonly TransportName[] = ['lean', 'sdk'];

const KEY = { PK: { S: 'n/b/ключ' }, SK: { S: '#' } };

export const UPDATE: UpdateItemWire = {
  TableName: TABLE,
  Key: KEY,
  UpdateExpression: 'SET #0 = :0',
  ConditionExpression: 'attribute_not_exists(#0)',
  ExpressionAttributeNames: { '#0': 'seq' },
  ExpressionAttributeValues: { ':0': { N: '1' } },
  ReturnValues: 'ALL_NEW',
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  ReturnConsumedCapacity: 'TOTAL',
};

export const GET: GetItemWire = { TableName: TABLE, Key: KEY, ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' };

/** A transport, and what it told of its requests: operation, read units, write units. */
export interface OpenTransport {
  readonly transport: WireTransport;
  readonly told: (readonly [string, number, number])[];
  close(): void;
}

const opened: OpenTransport[] = [];

/** Opens a transport; `closeTransports` ends it. */
export async function open(
  name: TransportName,
  endpoint: string,
  options: Partial<LeanOptions> & Pick<ConnectionOptions, 'credentials'> = {},
): Promise<OpenTransport> {
  const { credentials = { accessKeyId: 'AKID', secretAccessKey: 'secret' }, ...rest } = options;
  const told: OpenTransport['told'] = [];
  const connected = await connect({ endpoint, region: 'local', credentials }, TABLE);
  const { transport, connection } = await openTransport(name, connected, {
    table: TABLE,
    timeoutMs: 30_000,
    onRequest: (...request) => told.push(request),
    ...rest,
  });
  const one = { transport, told, close: () => connection.close() };
  opened.push(one);
  return one;
}

/** Ends all transports that were opened. */
export function closeTransports(): void {
  for (const { close } of opened.splice(0)) close();
}
