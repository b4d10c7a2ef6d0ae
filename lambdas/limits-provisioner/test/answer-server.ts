import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What was put. */
export interface Put {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server in CloudFormation's place: it takes answers, and refuses the first few where it is told to. */
export class AnswerServer {
  readonly puts: Put[] = [];
  readonly #server: Server;
  /** How it answers, one after the other; 200 when there is nothing left. `reset`: not at all. */
  readonly replies: (number | 'reset')[] = [];

  private constructor() {
    this.#server = createServer(async (incoming, response) => {
      const parts: Buffer[] = [];
      for await (const part of incoming) parts.push(part as Buffer);
      this.puts.push({ method: incoming.method, path: incoming.url, headers: incoming.headers, body: Buffer.concat(parts).toString() });
      const reply = this.replies.shift() ?? 200;
      if (reply === 'reset') incoming.socket.destroy();
      else response.writeHead(reply).end();
    });
  }

  static async listen(): Promise<AnswerServer> {
    const server = new AnswerServer();
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/answer?Expires=1&Signature=a%2Bb`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
