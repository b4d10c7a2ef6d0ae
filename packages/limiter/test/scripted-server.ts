import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';

/** A request that arrived. */
export interface ArrivedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What is done with a request: answers it, or not. */
export type Script = (response: ServerResponse, request: ArrivedRequest) => void;

/** Answers with a status, headers and a body, which is JSON unless it is text already. */
export function reply(status: number, body: unknown, headers: Record<string, string> = {}): Script {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0', ...headers, 'content-length': Buffer.byteLength(text) });
    response.end(text);
  };
}

/** Answers with an error in the shape of DynamoDB. */
export function failure(type: string, message = `injected ${type}`, status = 400, headers: Record<string, string> = {}): Script {
  return reply(status, { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message }, headers);
}

/** A server that does with its requests what a test says: with the first the first script, with the last and all later ones the last. */
export class ScriptedServer {
  readonly arrived: ArrivedRequest[] = [];
  readonly #server: Server;
  #scripts: readonly Script[] = [];
  #played = 0;

  private constructor() {
    this.#server = createServer((incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => this.#play({ headers: incoming.headers, body: Buffer.concat(chunks).toString() }, response));
    });
  }

  static async start(): Promise<ScriptedServer> {
    const scripted = new ScriptedServer();
    await new Promise<void>((resolve) => scripted.#server.listen(0, '127.0.0.1', resolve));
    return scripted;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on; what arrived before is forgotten. */
  play(...scripts: readonly Script[]): void {
    this.#scripts = scripts;
    this.#played = 0;
    this.arrived.length = 0;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #play(request: ArrivedRequest, response: ServerResponse): void {
    this.arrived.push(request);
    const script = this.#scripts[Math.min(this.#played, this.#scripts.length - 1)];
    this.#played += 1;
    if (script === undefined) response.destroy();
    else script(response, request);
  }
}

/** An address of this machine that nobody listens at. */
export async function deadEndpoint(): Promise<string> {
  const server = createSocketServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
