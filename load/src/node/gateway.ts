import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isMillraceError } from '@millrace/core';
import { type Amounts, type Lease, Limit, type RateLimiter } from '@millrace/limiter';
import { COST_COUNTERS, type CostCounter } from '../plan/series.js';
import type { Management, ManagementOperation } from '../plan/session.js';

/** A Node service with the SDK inside, as users build it: acquires, commits and administration over HTTP. */
export interface Gateway {
  readonly url: string;
  /** What it took, for the report: it is part of what a run measures through it. */
  describe(): string;
  /** What its limiter has asked DynamoDB for since it was started. */
  costs(): Readonly<Record<CostCounter, number>>;
  close(): Promise<void>;
}

/** Leases that nobody settles stay taken, as those of a service that crashed; so many are remembered. */
const MAX_LEASES = 10_000;
const MAX_BODY_BYTES = 100_000;

type Managers = { readonly [O in ManagementOperation]: (limiter: RateLimiter, given: Management[O]) => Promise<unknown> };

const MANAGERS: Managers = {
  set_resource: (limiter, { resource, limits }) => limiter.limits.setResource(resource, limits.map(Limit.parse)),
  get_resource: (limiter, { resource }) => limiter.limits.getResource(resource),
  delete_resource: (limiter, { resource }) => limiter.limits.deleteResource(resource),
  set_entity: (limiter, { entity, resource, limits }) => limiter.limits.setEntity(entity, resource, limits.map(Limit.parse)),
  get_entity: (limiter, { entity, resource }) => limiter.limits.getEntity(entity, resource),
  delete_entity: (limiter, { entity, resource }) => limiter.limits.deleteEntity(entity, resource),
  create_entity: (limiter, { entity, ...options }) => limiter.entities.create(entity, options),
  list_resources: (limiter) => limiter.limits.listResources(),
};

interface Body {
  readonly entity: string;
  readonly resource: string;
  readonly amounts: Amounts;
  readonly waitMs?: number;
  readonly lease: string;
  readonly deltas?: Amounts;
}

/** Starts one on a free port of this machine. */
export async function startGateway(limiter: RateLimiter): Promise<Gateway> {
  const leases = new Map<string, Lease>();
  const costsBefore = costsOf(limiter);
  const [before, startedMs] = [process.cpuUsage(), performance.now()];
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    void answer(limiter, leases, request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
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

/** What one operation comes to. */
interface Result {
  readonly status: number;
  readonly body: object;
}

const DONE: Result = { status: 200, body: {} };
const NOT_FOUND: Result = { status: 404, body: { error: 'there is no such operation, or no such lease' } };

async function answer(limiter: RateLimiter, leases: Map<string, Lease>, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let [fromMs, result] = [performance.now(), NOT_FOUND];
  try {
    const body = JSON.parse(await textOf(request)) as Body;
    fromMs = performance.now();
    result = await perform(limiter, leases, (request.url ?? '').slice(1), body);
  } catch (error) {
    const isOfCaller = error instanceof SyntaxError || (isMillraceError(error) && error.code === 'VALIDATION');
    result = { status: isOfCaller ? 400 : 503, body: { error: String((error as Error).message) } };
  }
  response.writeHead(result.status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ tookMs: performance.now() - fromMs, ...result.body }));
}

async function perform(limiter: RateLimiter, leases: Map<string, Lease>, path: string, body: Body): Promise<Result> {
  const [operation, managed = ''] = path.split('/');
  switch (operation) {
    case 'acquire': {
      const { entity, resource, amounts, waitMs } = body;
      const verdict = await limiter.tryAcquire(entity, resource, amounts, waitMs === undefined ? {} : { waitMs });
      if (!verdict.allowed) return { status: 429, body: { retryAfterMs: verdict.retryAfterMs } };
      return { status: 200, body: { lease: remember(leases, verdict.lease) } };
    }
    case 'available':
      return { status: 200, body: { amounts: await limiter.available(body.entity, body.resource) } };
    case 'commit':
    case 'release':
      return settle(leases, operation, body);
    case 'manage': {
      if (!Object.hasOwn(MANAGERS, managed)) return NOT_FOUND;
      const manager = MANAGERS[managed as ManagementOperation] as (limiter: RateLimiter, given: unknown) => Promise<unknown>;
      await manager(limiter, body);
      return DONE;
    }
    default:
      return NOT_FOUND;
  }
}

async function settle(leases: Map<string, Lease>, operation: 'commit' | 'release', { lease: id, deltas = {} }: Body): Promise<Result> {
  const lease = leases.get(id);
  if (lease === undefined) return NOT_FOUND;
  leases.delete(id);
  if (operation === 'release') await lease.release();
  else {
    if (Object.keys(deltas).length > 0) await lease.adjust(deltas);
    await lease.commit();
  }
  return DONE;
}

function remember(leases: Map<string, Lease>, lease: Lease): string {
  const [oldest] = leases.keys();
  if (leases.size >= MAX_LEASES && oldest !== undefined) leases.delete(oldest);
  const id = randomUUID();
  leases.set(id, lease);
  return id;
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
