import { type AddressInfo, connect, createServer, type Server } from 'node:net';

/** Hands on what comes to an engine, and counts the connections. */
export class ConnectionCounter {
  /** All that were ever made. */
  opened = 0;
  readonly #server: Server;

  constructor(endpoint: string) {
    const { hostname, port } = new URL(endpoint);
    this.#server = createServer((socket) => {
      this.opened += 1;
      const engine = connect(Number(port), hostname);
      socket.pipe(engine).pipe(socket);
      for (const each of [socket, engine]) each.on('error', () => socket.destroy());
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
  }
}
