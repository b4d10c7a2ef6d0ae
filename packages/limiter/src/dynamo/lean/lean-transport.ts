import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ValidationError } from '@millrace/core';
import type { Pool } from 'undici';
import { type Consumed, type RequestListener, tell } from '../../wire/consumed-units.js';
import { failureFor } from '../../wire/failures.js';
import { OPERATION_TARGET, readReply } from '../../wire/reply.js';
import { RequestSigner } from '../../wire/request-signer.js';
import { mendable, SigningClock } from '../../wire/signing-clock.js';
import { WireError } from '../../wire/wire-error.js';
import type { UpdateReply, WireOperation, WireOperations, WireTransport } from '../../wire/wire-transport.js';
import { MAX_CONNECTIONS } from '../client.js';
import type { ReplyTimes } from '../reply-times.js';
import { Exchange, type RawReply } from './exchange.js';
import { type CredentialProvider, HeldCredentials, type ProvidedCredentials } from './held-credentials.js';
import { NODE_HASHING } from './node-hashing.js';
import { signedSample } from './signed-sample.js';

/** How a transport is told to send. */
export interface LeanOptions {
  /** Said in messages. */
  readonly table: string;
  /** How long one request may take, with all that belongs to it. */
  readonly timeoutMs: number;
  readonly onRequest: RequestListener;
  /** The most connections at once; a request that finds none free waits. @default 256 */
  readonly maxConnections?: number;
  /** Told when replies came, and what time they say. */
  readonly times?: ReplyTimes | undefined;
  /** The time that signatures say. @default the system's */
  readonly nowMs?: () => number;
}

interface LeanParts extends LeanOptions {
  readonly pool: Pool;
  readonly path: string;
  readonly host: string;
  readonly signer: RequestSigner<Buffer, Uint8Array>;
  readonly credentials: HeldCredentials;
  readonly clock: SigningClock;
}

const CONNECT_TIMEOUT_MS = 1_000;
/** Shorter than what lies between here and DynamoDB keeps a silent connection: a request on one that was just closed is lost. */
const KEEP_ALIVE_MS = 20_000;

/**
 * Sends without the SDK, whose way of a request costs several times as much CPU as the request: one JSON text, one
 * signature, one exchange over a connection that is kept. Credentials, region and address are the SDK's own.
 *
 * It never sends again what may have happened. Only a request that DynamoDB refused for its signature, and so has not
 * looked at, is signed once more if there is something new to sign with: the right time, or other credentials.
 */
export class LeanTransport implements WireTransport {
  readonly #parts: LeanParts;

  private constructor(parts: LeanParts) {
    this.#parts = parts;
  }

  /** Asks the SDK's client how to reach DynamoDB. Sends nothing and opens no connection. */
  static async open(client: DynamoDBClient, options: LeanOptions): Promise<LeanTransport> {
    const { table, timeoutMs, maxConnections = MAX_CONNECTIONS, nowMs = Date.now } = options;
    const { Pool } = await loadUndici();
    try {
      const { origin, ...scope } = await signedSample(client);
      const pool = new Pool(origin, {
        connections: maxConnections,
        connectTimeout: CONNECT_TIMEOUT_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
        // Each exchange has one deadline of its own.
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      const credentials = new HeldCredentials(client.config.credentials as CredentialProvider);
      const clock = new SigningClock(nowMs);
      return new LeanTransport({ ...options, ...scope, pool, signer: new RequestSigner(scope, NODE_HASHING), credentials, clock });
    } catch (error) {
      throw failureFor(error, table, timeoutMs);
    }
  }

  /** Ends all connections. Call it when nothing is on its way any more. */
  close(): void {
    this.#parts.pool.destroy().catch(() => undefined);
  }

  async send<O extends WireOperation>(operation: O, request: WireOperations[O]['request']): Promise<WireOperations[O]['reply']>;
  send(operation: WireOperation, request: object): Promise<object> {
    return this.#send(operation, JSON.stringify(request));
  }

  sendText(update: string): Promise<UpdateReply> {
    return this.#send('UpdateItem', update) as Promise<UpdateReply>;
  }

  async #send(operation: WireOperation, text: string): Promise<object> {
    const { credentials, clock, table, timeoutMs } = this.#parts;
    const body = Buffer.from(text);
    const untilMs = performance.now() + timeoutMs;
    try {
      const nowMs = clock.nowMs();
      const held = credentials.at(nowMs) ?? (await inTime(credentials.ask(nowMs), untilMs));
      try {
        return await this.#attempt(operation, body, held, nowMs, timeoutMs);
      } catch (error) {
        const other = await this.#instead(error, held, nowMs, untilMs);
        if (other === undefined) throw error;
        return await this.#attempt(operation, body, other, clock.nowMs(), msLeft(untilMs));
      }
    } catch (error) {
      throw failureFor(error, table, timeoutMs);
    }
  }

  async #attempt(operation: WireOperation, body: Buffer, held: ProvidedCredentials, nowMs: number, timeoutMs: number): Promise<object> {
    let consumed: Consumed | undefined;
    try {
      const {
        status,
        date,
        sentMs,
        receivedMs,
        body: text,
      } = await this.#exchange(OPERATION_TARGET[operation], body, held, nowMs, timeoutMs);
      this.#parts.times?.note(date, sentMs, receivedMs);
      const read = readReply(operation, { status, date, text: text.toString() });
      consumed = read.consumed;
      return read.answer;
    } finally {
      tell(this.#parts.onRequest, operation, consumed);
    }
  }

  #exchange(target: string, body: Buffer, held: ProvidedCredentials, nowMs: number, timeoutMs: number): Promise<RawReply> {
    const { pool, path, host, signer, times } = this.#parts;
    const headers = signer.sign(held, target, body, nowMs);
    headers.push('host', host, 'content-type', 'application/x-amz-json-1.0', 'x-amz-target', target);
    return new Promise((resolve, reject) => {
      pool.dispatch({ method: 'POST', path, headers, body }, new Exchange({ resolve, reject }, timeoutMs, times?.nowMs ?? Date.now));
    });
  }

  /** What to sign with instead; undefined if that would not help. */
  async #instead(error: unknown, held: ProvidedCredentials, signedMs: number, untilMs: number): Promise<ProvidedCredentials | undefined> {
    if (!(error instanceof WireError)) return undefined;
    const { credentials, clock } = this.#parts;
    switch (mendable(error)) {
      case 'time':
        return clock.correct(error.date, signedMs) ? held : undefined;
      case 'credentials':
        return inTime(credentials.instead(held, clock.nowMs()), untilMs);
      default:
        return undefined;
    }
  }
}

/** Loaded only where it is used: it is large, and a limiter with a client of the user's needs none of it. */
async function loadUndici(): Promise<typeof import('undici')> {
  try {
    return await import('undici');
  } catch (error) {
    // It is CommonJS, which a bundle of ES modules cannot hold unless it is given a `require`.
    const why = (error as Error)?.message ?? error;
    throw new ValidationError('option "transport"', `"sdk" where undici cannot be loaded; a bundler should leave it out (${why})`, 'lean');
  }
}

function msLeft(untilMs: number): number {
  return Math.max(1, Math.ceil(untilMs - performance.now()));
}

/** Waits for credentials no longer than the request may take: a service that gives them out may be out of order, too. */
function inTime<T>(asked: Promise<T>, untilMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new WireError('NeverSentError', 'no credentials came in time'));
    const timer = setTimeout(giveUp, msLeft(untilMs));
    asked.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
