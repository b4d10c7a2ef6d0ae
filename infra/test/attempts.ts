import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { WINDOW_INDEX } from '@millrace/core';
import { attemptsBeside } from './attempts-beside.js';
import type { Deployed } from './deployed.js';
import type { Session } from './session.js';

const SORT = 'permission-probe';
const DENIED: readonly string[] = ['AccessDeniedException', 'AccessDenied', 'AccessDeniedError', 'AuthorizationErrorException'];

/** How attempts ended: what each was, and where it was neither, what was said. */
export interface Attempted {
  readonly allowed: readonly string[];
  readonly denied: readonly string[];
}

/** Tries everything that somebody may try with those credentials: in the own namespace, in another one, and on the whole. */
export async function attemptsAs(credentials: Session, deployed: Deployed, own: string, other: string): Promise<Attempted> {
  const dynamo = new DynamoDBClient({ credentials });
  const tries: Record<string, () => Promise<unknown>> = {
    ...inNamespace(dynamo, deployed.table, 'own', own),
    ...inNamespace(dynamo, deployed.table, 'other', other),
    ...onTheWhole(dynamo, deployed.table, own, other),
    ...attemptsBeside(credentials, deployed),
  };
  const [allowed, denied]: [string[], string[]] = [[], []];
  for (const [what, send] of Object.entries(tries)) {
    const outcome = await outcomeOf(send);
    if (outcome === 'denied') denied.push(what);
    else allowed.push(outcome === 'allowed' ? what : `${what}: ${outcome}`);
  }
  return { allowed: allowed.sort(), denied };
}

async function outcomeOf(send: () => Promise<unknown>): Promise<string> {
  try {
    await send();
    return 'allowed';
  } catch (error) {
    const { name, message } = error as Error;
    return DENIED.includes(name) ? 'denied' : `${name} ${message}`;
  }
}

/** What may be tried in one namespace, on items that nobody else looks at. */
function inNamespace(client: DynamoDBClient, TableName: string, whose: string, id: string): Record<string, () => Promise<unknown>> {
  const key = (partition: string) => ({ PK: { S: `${id}/${partition}` }, SK: { S: SORT } });
  const update = (partition: string) => () => client.send(new UpdateItemCommand({ TableName, Key: key(partition), ...TOUCH }));
  const query = (index: object, attribute: string, partition: string) => () =>
    client.send(
      new QueryCommand({
        TableName,
        ...index,
        KeyConditionExpression: '#key = :key',
        ExpressionAttributeNames: { '#key': attribute },
        ExpressionAttributeValues: { ':key': { S: `${id}/${partition}` } },
      }),
    );
  return {
    [`write a bucket of the ${whose} namespace`]: update('b/probe/0'),
    [`read a bucket of the ${whose} namespace`]: () => client.send(new GetItemCommand({ TableName, Key: key('b/probe/0') })),
    [`read the limits of the ${whose} namespace`]: () =>
      client.send(new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: [key('s'), key('r/probe'), key('e/probe')] } } })),
    [`write the limits of the ${whose} namespace`]: update('r/probe'),
    [`put an entity into the ${whose} namespace`]: () => client.send(new PutItemCommand({ TableName, Item: key('e/probe') })),
    [`delete an entity of the ${whose} namespace`]: () => client.send(new DeleteItemCommand({ TableName, Key: key('e/probe') })),
    [`delete buckets of the ${whose} namespace`]: () =>
      client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: [{ DeleteRequest: { Key: key('b/probe/0') } }] } })),
    [`record a usage event in the ${whose} namespace`]: () => client.send(new PutItemCommand({ TableName, Item: key('v/probe/api') })),
    [`query the usage of the ${whose} namespace`]: query({}, 'PK', 'u/probe'),
    [`query the index of the ${whose} namespace`]: query({ IndexName: WINDOW_INDEX }, 'w', 'w/hour/probe'),
    [`delete an audit event of the ${whose} namespace`]: () => client.send(new DeleteItemCommand({ TableName, Key: key('a') })),
  };
}

const TOUCH = { UpdateExpression: 'SET probe = :one', ExpressionAttributeValues: { ':one': { N: '1' } } };

/** What may be tried on the table, its registry, and both namespaces at once. */
function onTheWhole(client: DynamoDBClient, TableName: string, own: string, other: string): Record<string, () => Promise<unknown>> {
  const registered = { PK: { S: '_/namespaces' }, SK: { S: SORT } };
  const bucketOf = (id: string) => ({ PK: { S: `${id}/b/probe/0` }, SK: { S: SORT } });
  return {
    'find a namespace by its name': () => client.send(new GetItemCommand({ TableName, Key: registered })),
    'list the namespaces': () =>
      client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: 'PK = :key',
          ExpressionAttributeValues: { ':key': registered.PK },
          Limit: 1,
        }),
      ),
    'write the registry': () => client.send(new UpdateItemCommand({ TableName, Key: registered, ...TOUCH })),
    'delete from the registry': () => client.send(new DeleteItemCommand({ TableName, Key: registered })),
    'read both namespaces at once': () =>
      client.send(new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: [own, other].map((id) => sOf(id)) } } })),
    'write both namespaces at once': () =>
      client.send(
        new TransactWriteItemsCommand({
          TransactItems: [own, other].map((id) => ({ Update: { TableName, Key: bucketOf(id), ...TOUCH } })),
        }),
      ),
    'scan the table': () => client.send(new ScanCommand({ TableName, Limit: 1 })),
    'describe the table': () => client.send(new DescribeTableCommand({ TableName })),
    'change the table': () => client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false })),
    'delete the table': () => client.send(new DeleteTableCommand({ TableName })),
  };
}

function sOf(id: string) {
  return { PK: { S: `${id}/s` }, SK: { S: SORT } };
}
