import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { bucketWriteRequest, REQUEST_SLOTS } from '@millrace/core';
import { Limit, RateLimiter, type RateLimiterOptions } from '@millrace/limiter';
import { administrationOf } from '@millrace/limiter/admin';
import { type EngineTable, launchTable } from './engine-table.js';
import { type Fault, FaultyProxy } from './faulty-proxy.js';

export const CAPACITY = 10;
export const LIMITS = [Limit.perMinute('rpm', CAPACITY)];

/** Time stands still, so that nothing comes back by itself and every token can be counted. */
export const FROZEN = { nowMs: () => 1_800_000_000_000 };

const COMMON = { clock: FROZEN, requestTimeoutMs: 30_000 };

/** The most often that one write is sent. */
export const MAX_SENT = 5;

/** A debit or credit that meets one of these may have happened. */
export const LOSSES: readonly { readonly title: string; readonly fault: Fault; readonly carriedOut: boolean }[] = [
  { title: 'is lost', fault: { kind: 'lose-reply' }, carriedOut: true },
  { title: 'is a 500 that comes after the write', fault: answer(500, 'InternalServerError', true), carriedOut: true },
  { title: 'is a 500 that comes without one', fault: answer(500, 'InternalServerError', false), carriedOut: false },
  { title: 'is a 503', fault: answer(503, 'ServiceUnavailable', true), carriedOut: true },
  { title: 'is a reset connection', fault: { kind: 'reset' }, carriedOut: false },
  { title: 'does not come in time', fault: { kind: 'hold-reply' }, carriedOut: true },
  { title: 'is half a reply', fault: { kind: 'corrupt' }, carriedOut: true },
];

/** What DynamoDB answers when it certainly did nothing. */
export const THROTTLES = ['ThrottlingException', 'ProvisionedThroughputExceededException', 'RequestLimitExceeded'].map((type) => ({
  type,
  fault: answer(400, type, false),
}));

/** Whose clients send: each must leave it to us whether a request is sent again. */
export const SENDERS = [
  'the lean transport',
  "the limiter's own client",
  "a user's client with five attempts",
  "a user's document client with five attempts",
] as const;

type Sender = (typeof SENDERS)[number];

let usual: Sender = SENDERS[0];

/** Makes all limiters of this test file that say nothing else send so. */
export function sendUsually(sender: Sender): void {
  usual = sender;
}

function isOwn(sender: Sender): boolean {
  return sender === SENDERS[0] || sender === SENDERS[1];
}

function transportOf(sender: Sender): 'lean' | 'sdk' {
  return sender === SENDERS[0] ? 'lean' : 'sdk';
}

/** A reply that is held has to be given up soon; elsewhere a machine that is busy must not look like a fault. */
export function patienceFor(fault: Fault): { readonly requestTimeoutMs: number } {
  return { requestTimeoutMs: fault.kind === 'hold-reply' ? 1_000 : COMMON.requestTimeoutMs };
}

export function answer(status: number, type: string, carriedOut: boolean): Fault {
  return { kind: 'answer', status, type, carriedOut };
}

/** A limiter whose requests pass through a proxy that spoils them, and one beside it whose requests do not. */
export class FaultyWorld {
  readonly proxy: FaultyProxy;
  readonly table: EngineTable;
  readonly #observer: RateLimiter;
  readonly #opened: RateLimiter[] = [];
  readonly #clients: DynamoDBClient[] = [];
  #names = 0;

  private constructor(table: EngineTable, proxy: FaultyProxy, observer: RateLimiter) {
    this.table = table;
    this.proxy = proxy;
    this.#observer = observer;
  }

  static async launch(): Promise<FaultyWorld> {
    const table = await launchTable();
    const proxy = await FaultyProxy.before(table.engine.endpoint);
    return new FaultyWorld(table, proxy, await RateLimiter.open({ ...table.connection, ...COMMON, table: table.table }));
  }

  /** The name of an entity that no other test uses. */
  freshName(): string {
    this.#names += 1;
    return `entity-${this.#names}`;
  }

  /** A limiter behind the proxy. */
  async limiter(options: Partial<RateLimiterOptions> = {}, sender: Sender = usual): Promise<RateLimiter> {
    const connection = { ...this.table.connection, endpoint: this.proxy.endpoint };
    const common = { ...COMMON, table: this.table.table, ...options };
    const reach = isOwn(sender) ? { ...connection, transport: transportOf(sender) } : { client: this.#client(connection, sender) };
    this.proxy.clear();
    const limiter = await RateLimiter.open({ ...reach, ...common });
    this.#opened.push(limiter);
    this.proxy.clear();
    return limiter;
  }

  /** What is left in the bucket of an entity, whatever its ancestors have, as a limiter sees it that no fault touches. */
  async available(entity: string, resource = 'api'): Promise<number | undefined> {
    return (await this.#observer.available(entity, resource, { limits: (name) => (name === entity ? LIMITS : undefined) }))['rpm'];
  }

  /** Takes from one bucket without the knowledge of any limiter behind the proxy. */
  async takeBeside(entity: string, tokens: number): Promise<void> {
    await this.#observer.acquire(entity, 'api', { rpm: tokens }, { limits: (name) => (name === entity ? LIMITS : undefined) });
  }

  /** Makes the bucket of an entity forget all requests, as other writers do that use its slots. */
  async forgetRequests(entity: string): Promise<void> {
    const { namespaceId } = administrationOf(this.#observer);
    for (let slot = 0; slot < REQUEST_SLOTS; slot += 1) {
      const ref = { namespaceId, entity, resource: 'api', shard: 0 };
      const write = { ref, nowUs: FROZEN.nowMs() * 1_000, ttlSec: 2_000_000_000, request: { slot, id: this.#names }, moves: [] };
      await this.table.client.send(new UpdateItemCommand(bucketWriteRequest(this.table.table, write)));
    }
  }

  async close(): Promise<void> {
    this.proxy.letGo();
    this.proxy.clear();
    await Promise.all([...this.#opened, this.#observer].map((limiter) => limiter.close()));
    for (const client of this.#clients) client.destroy();
    await this.proxy.close();
    await this.table.close();
  }

  #client(connection: EngineTable['connection'], sender: Sender): DynamoDBClient | DynamoDBDocumentClient {
    const client = new DynamoDBClient({ ...connection, maxAttempts: 5 });
    this.#clients.push(client);
    return sender === SENDERS[2] ? client : DynamoDBDocumentClient.from(client);
  }
}
