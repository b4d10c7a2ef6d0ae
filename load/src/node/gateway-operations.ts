import { randomUUID } from 'node:crypto';
import { type Amounts, type Lease, Limit, type RateLimiter } from '@millrace/limiter';
import type { SeriesName } from '../plan/series.js';
import { type Management, type ManagementOperation, splitDeltas } from '../plan/session.js';
import type { GatewayMeter } from './gateway-meter.js';

/** Leases that nobody settles stay taken, as those of a service that crashed; so many are remembered. */
const MAX_LEASES = 10_000;

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

export interface Body {
  readonly entity: string;
  readonly resource: string;
  readonly amounts: Amounts;
  readonly waitMs?: number;
  readonly lease: string;
  readonly deltas?: Amounts;
}

/** What one operation comes to. */
export interface Result {
  readonly status: number;
  readonly body: object;
}

/** One call, and what became of it. */
export interface Call {
  readonly path: string;
  readonly body: Partial<Body>;
  /** What the lease that it names held before. */
  readonly held: Amounts;
  readonly result: Result;
  readonly tookMs: number;
}

const DONE: Result = { status: 200, body: {} };
export const NOT_FOUND: Result = { status: 404, body: { error: 'there is no such operation, or no such lease' } };

/** What requests are answered with. */
export interface Served {
  readonly limiter: RateLimiter;
  readonly leases: Map<string, Lease>;
  readonly meter: GatewayMeter;
}

/** Counts an answer as a caller's own meter would. What is no operation of a run is not counted. */
export function note(meter: GatewayMeter, call: Call): void {
  const [operation, managed = ''] = call.path.split('/');
  const isFailed = call.result.status !== 200 && call.result.status !== 429;
  if (operation === 'acquire') noteAcquire(meter, call, isFailed);
  else if (operation === 'commit' || operation === 'release') noteSettled(meter, call, isFailed);
  else if (operation === 'available') count(meter, isFailed, 'available', call.tookMs);
  else if (operation === 'manage' && Object.hasOwn(MANAGERS, managed)) count(meter, isFailed, managed as ManagementOperation, call.tookMs);
}

function noteAcquire(meter: GatewayMeter, { body: { amounts = {} }, result: { status }, tookMs }: Call, isFailed: boolean): void {
  if (isFailed) meter.tokens('unknown', amounts);
  else meter.verdict(status === 429);
  if (status === 200) meter.tokens('taken', amounts);
  count(meter, isFailed, status === 429 ? 'rate_limited' : 'acquire', tookMs);
}

function noteSettled(meter: GatewayMeter, { path, body: { deltas = {} }, held, tookMs }: Call, isFailed: boolean): void {
  const moved = path === 'release' ? { added: {}, returned: held } : splitDeltas(deltas);
  // A commit that moves nothing sends nothing to DynamoDB.
  if (Object.keys({ ...moved.added, ...moved.returned }).length === 0) return;
  meter.tokens(isFailed ? 'unknown' : 'added', moved.added);
  meter.tokens(isFailed ? 'unknown' : 'returned', moved.returned);
  count(meter, isFailed, 'commit', tookMs);
}

function count(meter: GatewayMeter, isFailed: boolean, series: SeriesName, tookMs: number): void {
  if (isFailed) meter.failed(tookMs);
  else meter.answered(series, tookMs);
}

export async function perform({ limiter, leases }: Served, path: string, body: Body): Promise<Result> {
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
