import { createServer } from 'node:net';

/** A port on the loopback that was free a moment ago; whoever binds it must be ready to lose a race. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen({ host: '127.0.0.1', port: 0 }, () => {
      const address = server.address();
      server.close(() => {
        if (address !== null && typeof address === 'object') resolve(address.port);
        else reject(new Error(`free port: the system gave ${String(address)} instead of a port`));
      });
    });
  });
}
