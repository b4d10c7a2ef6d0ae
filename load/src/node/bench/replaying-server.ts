import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const KEY = /"Key":\{[^}]*\}[^}]*\}/;
const KEPT_HEADERS = ['content-type', 'x-amz-crc32'];

/**
 * Stands before an engine and answers at once, so that what a client takes is not mixed with how it waits: the first write
 * of each item goes to the engine, and its reply is that of all later ones. Whatever is no write goes on to the engine.
 */
export async function replayWrites(endpoint: string): Promise<{ readonly endpoint: string; close(): Promise<void> }> {
  const target = new URL(endpoint);
  const known = new Map<string, Reply>();
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(incoming);
    const isWrite = incoming.headers['x-amz-target']?.toString().endsWith('.UpdateItem') === true;
    const key = isWrite ? KEY.exec(body.toString())?.[0] : undefined;
    const reply = (key === undefined ? undefined : known.get(key)) ?? (await forward(target, incoming, body));
    if (key !== undefined && reply.status === 200) known.set(key, reply);
    response.writeHead(reply.status, { ...reply.headers, 'content-length': reply.body.length }).end(reply.body);
  };
  const server = createServer((incoming, response) => void answer(incoming, response).catch(() => response.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Headers go on as they came, as the request is signed for the host that it was sent to, and the engine checks no signature. */
async function forward(target: URL, { method, url, headers }: IncomingMessage, body: Buffer): Promise<Reply> {
  const outgoing = request({ host: target.hostname, port: target.port, method, path: url, headers });
  outgoing.end(body);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  const kept = KEPT_HEADERS.flatMap((name) => (incoming.headers[name] === undefined ? [] : [[name, String(incoming.headers[name])]]));
  return { status: incoming.statusCode ?? 0, headers: Object.fromEntries(kept), body: await buffer(incoming) };
}
