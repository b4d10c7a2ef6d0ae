import { type EngineName, launchEngine } from '@millrace/testing';
import { startServer } from './server-process.js';

/** What answers the requests. */
export type ServerKind = 'engine' | 'stub';

/** An endpoint to measure against: an engine or the stub, behind the delay where there is one. */
export interface Site extends AsyncDisposable {
  /** What answers there, by name. */
  readonly server: string;
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** How to make one. */
export interface SiteOptions {
  readonly server: ServerKind;
  /** @default - the first engine that is installed */
  readonly engine?: EngineName;
  /** How long the network takes there and back, on top of the machine's own; 0 leaves the proxy out. */
  readonly roundTripMs: number;
}

type Origin = Omit<Site, typeof Symbol.asyncDispose> & { close(): Promise<void> };

/** Starts what a measurement runs against, each part in a process of its own. A fresh one each time: engines slow down. */
export async function openSite({ server, engine, roundTripMs }: SiteOptions): Promise<Site> {
  const { close, ...origin } = server === 'stub' ? await openStub() : await openEngine(engine);
  if (roundTripMs === 0) return { ...origin, [Symbol.asyncDispose]: close };
  try {
    const { hostname, port } = new URL(origin.endpoint);
    const proxy = await startServer('delay-proxy-main.js', [hostname, port, String(roundTripMs)]);
    const closeAll = async (): Promise<void> => {
      await proxy[Symbol.asyncDispose]();
      await close();
    };
    return { ...origin, endpoint: `http://127.0.0.1:${proxy.port}`, [Symbol.asyncDispose]: closeAll };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openEngine(engine: EngineName | undefined): Promise<Origin> {
  const launched = await launchEngine(engine === undefined ? {} : { engine });
  const { name, endpoint, region, credentials } = launched;
  return { server: name, endpoint, region, credentials, close: () => launched.close() };
}

async function openStub(): Promise<Origin> {
  const stub = await startServer('stub-main.js', []);
  return {
    server: 'stub',
    endpoint: `http://127.0.0.1:${stub.port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'stub', secretAccessKey: 'stub' },
    close: async () => stub[Symbol.asyncDispose](),
  };
}
