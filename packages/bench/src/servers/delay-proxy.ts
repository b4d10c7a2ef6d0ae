import { createConnection, createServer, type Server, type Socket } from 'node:net';

/** Where requests go on to. */
export interface ProxyTarget {
  readonly host: string;
  readonly port: number;
}

/**
 * A TCP proxy that holds back every chunk, half of the round trip on its way there and half on its way back. Chunks keep
 * their order. Node's timers have whole milliseconds, so that an odd round trip is shared unequally.
 */
export function delayProxy(target: ProxyTarget, roundTripMs: number): Server {
  const thereMs = Math.floor(roundTripMs / 2);
  const backMs = roundTripMs - thereMs;
  return createServer({ noDelay: true }, (client) => {
    const upstream = createConnection({ ...target, noDelay: true });
    relay(client, upstream, thereMs);
    relay(upstream, client, backMs);
  });
}

function relay(from: Socket, to: Socket, delayMs: number): void {
  // Timers of one delay run in the order in which they were set: that is what keeps the chunks in order.
  from.on('data', (chunk) => void setTimeout(() => to.write(chunk), delayMs));
  from.on('end', () => void setTimeout(() => to.end(), delayMs));
  from.on('error', () => to.destroy());
  from.on('close', () => void setTimeout(() => to.destroy(), delayMs + 1));
}
