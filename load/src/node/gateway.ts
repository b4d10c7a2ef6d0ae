import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isMillraceError } from '@millrace/core';
import type { RateLimiter } from '@millrace/limiter';
import { COST_COUNTERS, type CostCounter } from '../plan/series.js';
import { GatewayMeter } from './gateway-meter.js';
import { type Body, NOT_FOUND, note, perform, type Served } from './gateway-operations.js';

/** A Node service with the SDK inside, as users build it: acquires, commits and administration over HTTP. */
export interface Gateway {
  readonly url: string;
  /** What it has answered. */
  readonly meter: GatewayMeter;
  /** What it took, for the report: it is part of what a run measures through it. */
  describe(): string;
  /** What its limiter has asked DynamoDB for since it was started. */
  costs(): Readonly<Record<CostCounter, number>>;
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 100_000;

/** Whom it serves, and where. */
export interface GatewayOptions {
  /** @default - this machine only */
  readonly host?: string;
  /** @default - one that is free */
  readonly port?: number;
  /** What callers must show as their bearer token; whoever does not is told nothing. @default - everybody is served */
  readonly token?: string;
}

/** Starts one. */
export async function startGateway(limiter: RateLimiter, options: GatewayOptions = {}): Promise<Gateway> {
  const { host = '127.0.0.1', port = 0, token } = options;
  const served: Served = { limiter, leases: new Map(), meter: new GatewayMeter() };
  const costsBefore = costsOf(limiter);
  const [before, startedMs] = [process.cpuUsage(), performance.now()];
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    if (token !== undefined && !shows(request, token)) {
      response.writeHead(401).end();
      return;
    }
    void answer(served, request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    meter: served.meter,
    describe() {
      const { user, system } = process.cpuUsage(before);
      const share = (user + system) / 1_000 / (performance.now() - startedMs);
      return `the Node service answered ${requests} requests with ${Math.round(100 * share)} % of one core`;
    },
    costs() {
      const now = costsOf(limiter);
      const since = COST_COUNTERS.map((name) => [name, now[name] - costsBefore[name]]);
      return Object.fromEntries(since) as Record<CostCounter, number>;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function costsOf(limiter: RateLimiter): Record<CostCounter, number> {
  const { requests, readUnits, writeUnits, refusedWrites } = limiter.stats();
  const sent = Object.values(requests).reduce((sum, count) => sum + count, 0);
  return { requests: sent, read_units: readUnits, write_units: writeUnits, refused_writes: refusedWrites };
}

/** Compares digests, whose length says nothing and whose comparison takes the same time whatever differs. */
function shows({ headers }: IncomingMessage, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`));
}

async function answer(served: Served, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let [fromMs, result] = [performance.now(), NOT_FOUND];
  const path = pathOf(request);
  let body: Partial<Body> = {};
  let held = {};
  try {
    body = JSON.parse(await textOf(request)) as Body;
    held = served.leases.get(body.lease ?? '')?.consumed ?? {};
    fromMs = performance.now();
    result = await perform(served, path, body as Body);
  } catch (error) {
    const isOfCaller = error instanceof SyntaxError || (isMillraceError(error) && error.code === 'VALIDATION');
    result = { status: isOfCaller ? 400 : 503, body: { error: String((error as Error).message) } };
  }
  const tookMs = performance.now() - fromMs;
  note(served.meter, { path, body, held, result, tookMs });
  response.writeHead(result.status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ tookMs, ...result.body }));
}

/** The last words of a URL: a public one may have others before them. */
function pathOf({ url = '' }: IncomingMessage): string {
  return /(?:manage\/)?\w+$/.exec(url)?.[0] ?? '';
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new SyntaxError(`a body of more than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
