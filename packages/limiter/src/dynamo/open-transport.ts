import { ValidationError } from '@millrace/core';
import type { WireTransport } from '../wire/wire-transport.js';
import type { Connection, ConnectionOptions } from './client.js';
import { type LeanOptions, LeanTransport } from './lean/lean-transport.js';
import { SdkTransport } from './sdk-transport.js';
import { Sender } from './sender.js';

/** How the requests of the hot path are sent: through the AWS SDK, or without it. */
export type TransportName = 'lean' | 'sdk';

const NAMES: readonly unknown[] = ['lean', 'sdk'];

/** Checks a choice, and makes it where there is none. A client of the user's own is always the one that sends. */
export function checkTransport(transport: unknown, client: ConnectionOptions['client']): TransportName {
  if (transport === undefined) return client === undefined ? 'lean' : 'sdk';
  if (!NAMES.includes(transport)) throw new ValidationError('option "transport"', '"lean" or "sdk"', transport);
  if (transport === 'lean' && client !== undefined)
    throw new ValidationError('option "transport"', '"sdk", or left out, beside "client", which sends all requests', transport);
  return transport as TransportName;
}

/** Opens a transport over a connection. The connection that comes back ends both. */
export async function openTransport(
  name: TransportName,
  connection: Connection,
  options: LeanOptions,
): Promise<{ readonly transport: WireTransport; readonly connection: Connection }> {
  const { client } = connection;
  if (name === 'sdk') {
    const { table, timeoutMs, onRequest, times } = options;
    return { transport: new SdkTransport(new Sender(client, table, timeoutMs, onRequest, times)), connection };
  }
  try {
    const transport = await LeanTransport.open(client, options);
    const close = (): void => {
      transport.close();
      connection.close();
    };
    return { transport, connection: { client, close } };
  } catch (error) {
    connection.close();
    throw error;
  }
}
