import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What goes wrong with one request. */
export type Fault =
  /** The request is carried out; its reply never comes, and the connection ends. */
  | { readonly kind: 'lose-reply' }
  /** The connection is reset before the request is carried out. */
  | { readonly kind: 'reset' }
  /** The request is carried out; its reply comes when the proxy lets go of it. */
  | { readonly kind: 'hold-reply' }
  /** The request is carried out when the proxy lets go of it, whether or not anybody still waits for its reply. */
  | { readonly kind: 'hold-request' }
  /** The request is carried out; half of its reply comes. */
  | { readonly kind: 'corrupt' }
  /** An error is answered, in the shape of DynamoDB; the request is carried out before or not at all. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly type: string;
      readonly carriedOut: boolean;
      /** What else the error says. */
      readonly details?: Readonly<Record<string, unknown>>;
    };

/** A request that arrived. */
export interface SeenRequest {
  readonly operation: string;
  readonly body: string;
}

type Reply = { readonly status: number; readonly headers: IncomingMessage['headers']; readonly body: Buffer };

/** An HTTP proxy in front of an engine. It counts what arrives, and spoils what it is told to. */
export class FaultyProxy {
  readonly #target: URL;
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #waiting = new Map<string, { left: number; resolve(): void }>();
  readonly #held: (() => void)[] = [];
  readonly #seen: SeenRequest[] = [];
  readonly #serving = new Set<Promise<void>>();
  #spoil: (request: SeenRequest) => Fault | undefined = () => undefined;

  private constructor(target: string) {
    this.#target = new URL(target);
    this.#server = createServer((incoming, response) => {
      const served = this.#serve(incoming, response).catch(() => void response.destroy());
      this.#serving.add(served);
      void served.then(() => this.#serving.delete(served));
    });
  }

  static async before(target: string): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** How many requests have arrived since `clear`, of one operation or of all, that say something or anything. */
  count(operation?: string, saying = ''): number {
    return this.#seen.filter((seen) => (operation === undefined || seen.operation === operation) && seen.body.includes(saying)).length;
  }

  /** From now on requests are spoilt as `spoil` says; undefined lets one pass. */
  spoil(spoil: (request: SeenRequest) => Fault | undefined): void {
    this.#spoil = spoil;
  }

  /** Spoils the requests of one operation that say something, or anything: all of them, or the first few. */
  spoilEach(operation: string, fault: Fault, times = Number.POSITIVE_INFINITY, saying = ''): void {
    let left = times;
    this.#spoil = (seen) => {
      if (seen.operation !== operation || !seen.body.includes(saying) || left === 0) return undefined;
      left -= 1;
      return fault;
    };
  }

  /** Lets everything pass again, and counts from 0. */
  clear(): void {
    this.#spoil = () => undefined;
    this.#seen.length = 0;
  }

  /** Resolves when so many of such an operation are held, replies or requests. */
  nextHeld(operation: string, times = 1): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(operation, { left: times, resolve }));
  }

  /** Lets all go that is held: replies, and requests. */
  letGo(): void {
    for (const reply of this.#held.splice(0)) reply();
  }

  /** Resolves when all requests that have arrived are carried out, also those that nobody waits for any more. */
  async idle(): Promise<void> {
    await Promise.all(this.#serving);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#agent.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(incoming);
    const seen: SeenRequest = { operation: String(incoming.headers['x-amz-target']).split('.')[1] ?? '', body: body.toString() };
    this.#seen.push(seen);
    const fault = this.#spoil(seen);
    if (fault?.kind === 'reset') {
      incoming.socket.resetAndDestroy();
      return;
    }
    if (fault?.kind === 'answer' && !fault.carriedOut) {
      send(response, errorReply(fault));
      return;
    }
    if (fault?.kind === 'hold-request') {
      await new Promise<void>((resolve) => {
        this.#held.push(resolve);
        this.#tell(seen.operation);
      });
    }
    this.#answer(fault, await this.#forward(incoming, body), seen, response);
  }

  #answer(fault: Fault | undefined, reply: Reply, seen: SeenRequest, response: ServerResponse): void {
    switch (fault?.kind) {
      case undefined:
      case 'hold-request':
        send(response, reply);
        break;
      case 'answer':
        send(response, errorReply(fault));
        break;
      case 'corrupt':
        send(response, { ...reply, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: half(reply.body) });
        break;
      case 'hold-reply':
        this.#held.push(() => send(response, reply));
        this.#tell(seen.operation);
        break;
      default:
        response.destroy();
    }
  }

  #tell(operation: string): void {
    const waiting = this.#waiting.get(operation);
    if (waiting === undefined) return;
    waiting.left -= 1;
    if (waiting.left === 0) waiting.resolve();
  }

  #forward(incoming: IncomingMessage, body: Buffer): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = this.#target;
      // The host stays the one that the client has signed.
      const options = { hostname, port, agent: this.#agent, method: incoming.method ?? 'POST', path: incoming.url ?? '/' };
      const outgoing = request({ ...options, headers: incoming.headers }, (answer) => {
        bodyOf(answer).then((text) => resolve({ status: answer.statusCode ?? 500, headers: answer.headers, body: text }), reject);
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }
}

function errorReply({ status, type, details }: Extract<Fault, { kind: 'answer' }>): Reply {
  const body = JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: `injected ${type}`, ...details });
  return { status, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: Buffer.from(body) };
}

function half(body: Buffer): Buffer {
  return body.subarray(0, Math.ceil(body.length / 2));
}

function send(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, { ...headers, 'content-length': body.length });
  response.end(body);
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
