import {
  type Consumed,
  failureFor,
  OPERATION_TARGET,
  type RequestListener,
  RequestSigner,
  readReply,
  type SigningCredentials,
  tell,
  type UpdateReply,
  type WireOperation,
  type WireOperations,
  type WireTransport,
} from '@millrace/limiter/wire';
import http from 'k6/http';
import type { Credentials } from './credentials.js';
import { K6_HASHING } from './hashing.js';
import { networkError } from './network-error.js';

/** How a transport is told to send. */
export interface K6TransportOptions {
  /** Scheme, host and port, and a path where there is one. */
  readonly endpoint: string;
  readonly region: string;
  /** Said in messages. */
  readonly table: string;
  readonly timeoutMs: number;
  readonly credentials: Credentials;
  readonly onRequest: RequestListener;
  /** Told of each write whose condition did not hold. */
  readonly onRefusedWrite: () => void;
}

const ENDPOINT = /^(https?):\/\/([^/]+)(\/.*)?$/;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: ':80', https: ':443' };
// A refused condition is an answer, and DynamoDB's status for it is 400. Whether a run is well is not judged by statuses.
const EXPECTED = http.expectedStatuses(200, 400);

/** Sends the requests of the hot path through k6's own HTTP, as the lean transport does through undici. */
export class K6Transport implements WireTransport {
  readonly #options: K6TransportOptions;
  readonly #url: string;
  readonly #signer: RequestSigner<ArrayBuffer, string>;
  readonly #timeout: string;

  constructor(options: K6TransportOptions) {
    const [, scheme = '', authority = '', path = '/'] = ENDPOINT.exec(options.endpoint) ?? [];
    if (authority === '') throw new Error(`"${options.endpoint}" is no endpoint; write it as http://127.0.0.1:8000`);
    const port = DEFAULT_PORTS[scheme] ?? '';
    const host = authority.endsWith(port) ? authority.slice(0, -port.length) : authority;
    this.#options = options;
    this.#url = `${scheme}://${host}${path}`;
    this.#timeout = `${options.timeoutMs}ms`;
    this.#signer = new RequestSigner({ host, path, region: options.region, service: 'dynamodb' }, K6_HASHING);
  }

  async send<O extends WireOperation>(operation: O, request: WireOperations[O]['request']): Promise<WireOperations[O]['reply']>;
  send(operation: WireOperation, request: object): Promise<object> {
    return this.#send(operation, JSON.stringify(request));
  }

  sendText(update: string): Promise<UpdateReply> {
    return this.#send('UpdateItem', update) as Promise<UpdateReply>;
  }

  async #send(operation: WireOperation, body: string): Promise<object> {
    const { table, timeoutMs, onRequest, onRefusedWrite, credentials } = this.#options;
    let consumed: Consumed | undefined;
    try {
      const nowMs = Date.now();
      const held = credentials.at(nowMs) ?? (await credentials.ask());
      const reply = await this.#exchange(operation, body, held, nowMs);
      if (reply.status === 0) throw networkError(reply);
      const read = readReply(operation, { status: reply.status, date: reply.headers['Date'], text: String(reply.body ?? '') });
      consumed = read.consumed;
      if ('isRefused' in read.answer && read.answer.isRefused) onRefusedWrite();
      return read.answer;
    } catch (error) {
      throw failureFor(error, table, timeoutMs);
    } finally {
      tell(onRequest, operation, consumed);
    }
  }

  #exchange(operation: WireOperation, body: string, held: SigningCredentials, nowMs: number) {
    const target = OPERATION_TARGET[operation];
    const headers: Record<string, string> = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target };
    const signed = this.#signer.sign(held, target, body, nowMs);
    for (let index = 0; index < signed.length; index += 2) headers[signed[index] ?? ''] = signed[index + 1] ?? '';
    return http.asyncRequest('POST', this.#url, body, {
      headers,
      timeout: this.#timeout,
      tags: { name: operation },
      responseCallback: EXPECTED,
    });
  }
}
