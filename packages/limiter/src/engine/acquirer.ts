import { type LimitStatus, StoreFailure, type UnavailablePolicy, ValidationError } from '@millrace/core';
import { type CascadeResult, giveBack, type LevelResult, takeCascade } from './cascade.js';
import { AcquireAborted, LimiterClosed, publicError, RateLimiterUnavailable } from './errors.js';
import { sharesOf } from './give-back.js';
import { Holding } from './holding.js';
import { type ChangeReport, type HeldState, Lease, type LeaseOwner, type LeaseRecording } from './lease.js';
import type { Amounts, Level } from './level.js';
import { longestMs } from './longest.js';
import { type BucketPlaces, planLevels } from './plan.js';
import type { UseRecorder } from './recording.js';
import type { AcquireOptions, Request } from './request.js';
import type { Resolution, Resolver } from './resolver.js';
import type { QueuedParts } from './shadow.js';
import type { WaitingRoom } from './waiting-room.js';

/** The answer of a `tryAcquire`. */
export type Verdict =
  | { readonly allowed: true; readonly lease: Lease }
  | { readonly allowed: false; readonly retryAfterMs: number; readonly statuses: readonly LimitStatus[] };

/** What acquires share. */
export interface AcquirerParts extends QueuedParts, BucketPlaces {
  readonly resolver: Resolver;
  readonly waitingRoom: WaitingRoom;
  /** What the namespace wants when the store cannot be reached, as far as it is known. */
  readonly lastPolicy: () => UnavailablePolicy | undefined;
  /** Lets `close` wait for what leases do. */
  readonly track: <T>(work: Promise<T>) => Promise<T>;
  readonly isClosed: () => boolean;
  readonly recorder: UseRecorder | undefined;
}

/** How often an acquire starts again because its configuration was stale; each time it has read a newer one. */
const MAX_REFRESHES = 3;

/** Takes at all levels of a request, and settles what was taken. */
export class Acquirer implements LeaseOwner {
  readonly #parts: AcquirerParts;

  constructor(parts: AcquirerParts) {
    this.#parts = parts;
  }

  acquire(request: Request, amounts: Amounts, options: AcquireOptions): Promise<Verdict> {
    const waitMs = options.waitMs ?? 0;
    if (waitMs === 0 || !this.#parts.waitingRoom.enter()) return this.#acquire(request, amounts, options, 0);
    return this.#acquireSeated(request, amounts, options, waitMs);
  }

  async #acquireSeated(request: Request, amounts: Amounts, options: AcquireOptions, waitMs: number): Promise<Verdict> {
    const { waitingRoom } = this.#parts;
    try {
      return await this.#acquire(request, amounts, options, waitMs);
    } finally {
      waitingRoom.leave();
    }
  }

  async #acquire(request: Request, amounts: Amounts, options: AcquireOptions, waitMs: number): Promise<Verdict> {
    const { resolver, newDeadlineMs, stats } = this.#parts;
    const { observation } = stats;
    const startedMs = observation.begin();
    const { entity, resource } = request;
    const { signal } = options;
    const deadlineMs = newDeadlineMs();
    let resolution: Resolution;
    try {
      resolution = resolver.known(entity, resource) ?? (await resolver.resolve(entity, resource, deadlineMs));
      for (let refreshes = 0; ; refreshes += 1) {
        const levels =
          this.#planAsKnown(request, resolution, amounts, waitMs) ?? (await this.plan(request, resolution, amounts, deadlineMs, waitMs));
        const outcome = await takeCascade(this.#parts, levels, signal === undefined ? { deadlineMs } : { deadlineMs, signal });
        if (outcome.kind === 'taken') {
          const verdict = this.#grant(request, amounts, levels, outcome.results, options);
          observation.end(request, 'admitted', startedMs);
          const waitUs = longestWaitUs(outcome.results);
          if (waitUs > 0) await this.#waitForTurn(verdict.lease, waitUs, options);
          return verdict;
        }
        if (outcome.kind === 'exhausted') return this.#reject(request, outcome, startedMs);
        if (outcome.kind === 'failed') return await this.#unavailable(request, amounts, levels, outcome, options, startedMs);
        resolution = await this.#refresh(request, outcome, refreshes, deadlineMs);
      }
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error;
      return await this.#unavailable(request, amounts, this.#blindLevels(request, amounts), { error, results: [] }, options, startedMs);
    }
  }

  /** Reads the configuration again, of which a bucket has met a newer one. */
  #refresh(
    { entity, resource }: Request,
    met: { readonly entity: string; readonly version: number },
    refreshes: number,
    deadlineMs: number,
  ): Promise<Resolution> {
    this.#parts.stats.add('staleConfigurations');
    if (refreshes === MAX_REFRESHES)
      throw new StoreFailure('throttled', 'no', `the configuration of "${entity}" changed ${MAX_REFRESHES} times in a row`);
    return this.#parts.resolver.refresh(entity, resource, met.entity, met.version, deadlineMs);
  }

  /** The levels of a request as most are: one that fits what is remembered. Undefined of any other. */
  #planAsKnown(request: Request, resolution: Resolution, amounts: Amounts, waitMs: number): readonly Level[] | undefined {
    try {
      return planLevels(this.#parts, request, resolution, amounts, waitMs);
    } catch (error) {
      if (!(error instanceof ValidationError) || request.limitsOf !== undefined) throw error;
      return undefined;
    }
  }

  /** The levels of a request. One that does not fit what is remembered is judged by what the table says now. */
  async plan(request: Request, resolution: Resolution, amounts: Amounts, deadlineMs: number, waitMs = 0): Promise<readonly Level[]> {
    try {
      return planLevels(this.#parts, request, resolution, amounts, waitMs);
    } catch (error) {
      // What the call itself brought cannot have changed; and a disabled entity may have been enabled, in its time.
      if (!(error instanceof ValidationError) || request.limitsOf !== undefined) throw error;
      const fresh = await this.#parts.resolver.doubt(request.entity, request.resource, deadlineMs);
      if (fresh === undefined) throw error;
      return planLevels(this.#parts, request, fresh, amounts, waitMs);
    }
  }

  /** What a lease without any answer of the store is about: the limits that the call brought, or nothing that is known. */
  #blindLevels(request: Request, amounts: Amounts): readonly Level[] {
    if (request.limitsOf === undefined) return [];
    const own = { charged: [], version: 0, control: { mode: 'enforce' }, closed: false, levels: [] } as const;
    return planLevels(this.#parts, request, { own, ancestors: new Map() }, amounts);
  }

  #grant(
    request: Request,
    amounts: Amounts,
    levels: readonly Level[],
    results: readonly LevelResult[],
    options: AcquireOptions,
    degraded = false,
  ): Extract<Verdict, { allowed: true }> {
    const states: HeldState[] = [];
    const holdings: Holding[] = [];
    let shadowViolations = NO_STATUSES;
    for (let index = 0; index < levels.length; index += 1) {
      const level = levels[index] as Level;
      const result = resultOf(results, level);
      if (result?.kind === 'taken') {
        for (let share = 0; share < result.shares.length; share += 1) states.push(result.shares[share] as HeldState);
      } else if (result?.kind === 'counted') {
        states.push(result);
        shadowViolations = [...shadowViolations, ...result.violations];
      }
      const isHeld = result?.kind === 'taken' || result?.kind === 'counted';
      holdings.push(isHeld ? new Holding(level, result.kind, sharesOf(result)) : new Holding(level, 'nothing'));
    }
    this.#parts.stats.add('admitted');
    if (degraded) this.#parts.stats.add('degraded');
    const { onUnavailable } = options;
    const recording = this.#recording(request, options);
    const report = { states, degraded, shadowViolations, onUnavailable, recording };
    return { allowed: true, lease: new Lease(this, request, amounts, holdings, report) };
  }

  /** How a lease is recorded when it is committed; undefined on a resource where none is. */
  #recording({ entity, resource }: Request, { meta, idempotencyKey }: AcquireOptions): LeaseRecording | undefined {
    const { recorder, namespaceId, track } = this.#parts;
    if (recorder?.records(resource) !== true) return undefined;
    const named = idempotencyKey === undefined ? {} : { idempotencyKey };
    const record: LeaseRecording['record'] = (use) => track(recorder.record({ namespaceId, entity, resource, ...named, ...use }));
    return { meta: meta ?? {}, record };
  }

  nowUs(): number {
    return this.#parts.clock.nowUs();
  }

  /** Settles a lease at every level. */
  change(holdings: readonly Holding[], deltas: ReadonlyMap<string, number>, policy: UnavailablePolicy | undefined): Promise<ChangeReport> {
    return this.#parts.track(this.#settle(holdings, deltas, policy));
  }

  /** Waits until the turn of a lease has come at every level. Who leaves before gives the place back. */
  async #waitForTurn(lease: Lease, waitUs: number, { signal }: AcquireOptions): Promise<void> {
    this.#parts.stats.add('waits');
    const end = await this.#parts.waitingRoom.wait(Math.ceil(waitUs / 1_000), signal);
    if (end === 'over') return;
    // What the caller has to know is why; tokens whose return fails flow back at the limit's rate.
    await lease.release().catch(() => undefined);
    throw end === 'closed' ? new LimiterClosed('wait for tokens') : new AcquireAborted(signal?.reason);
  }

  #reject(request: Request, { statuses, isLocal }: Extract<CascadeResult, { kind: 'exhausted' }>, startedMs: number | undefined): Verdict {
    const { stats } = this.#parts;
    stats.observation.end(request, isLocal ? 'locally-rejected' : 'rejected', startedMs);
    stats.add('rejected');
    return { allowed: false, retryAfterMs: longestMs(statuses), statuses };
  }

  /** With `allow`, the lease keeps what some levels took and says that it is degraded; with `block`, they get it back. */
  async #unavailable(
    request: Request,
    amounts: Amounts,
    levels: readonly Level[],
    outcome: { readonly error: unknown; readonly results: readonly LevelResult[] },
    options: AcquireOptions,
    startedMs: number | undefined,
  ): Promise<Verdict> {
    const error = publicError(outcome.error);
    const isAllowed = this.#isAllowed(error, options.onUnavailable);
    this.#parts.stats.observation.end(request, isAllowed ? 'degraded' : 'unavailable', startedMs);
    if (isAllowed) return this.#grant(request, amounts, levels, outcome.results, options, true);
    await giveBack(this.#parts, outcome.results);
    throw error;
  }

  async #settle(
    holdings: readonly Holding[],
    deltas: ReadonlyMap<string, number>,
    policy: UnavailablePolicy | undefined,
  ): Promise<ChangeReport> {
    if (this.#parts.isClosed()) throw new LimiterClosed('settle a lease');
    const states: HeldState[] = [];
    // Every level is settled as far as it can be, whatever happens at another.
    const outcomes = await Promise.allSettled(
      holdings.map(async (holding) => {
        states.push(...(await holding.change(this.#parts, deltas, this.#parts.newDeadlineMs())));
      }),
    );
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed === undefined) return { states, degraded: false };
    const error = publicError(failed.reason);
    if (this.#isAllowed(error, policy)) return { states, degraded: true };
    throw error;
  }

  /** Whether the caller goes on without the store: the call's option, else what is stored, else not. */
  #isAllowed(error: unknown, wanted: UnavailablePolicy | undefined): boolean {
    const policy = wanted ?? this.#parts.lastPolicy() ?? 'block';
    return policy === 'allow' && error instanceof RateLimiterUnavailable;
  }
}

const NO_STATUSES: readonly LimitStatus[] = [];

function resultOf(results: readonly LevelResult[], level: Level): LevelResult | undefined {
  // Levels are few, and mostly one: to look through them is less than to make a map.
  for (let index = 0; index < results.length; index += 1) if (results[index]?.level === level) return results[index];
  return undefined;
}

/** How long it is until the turn of an acquire has come at every level. */
function longestWaitUs(results: readonly LevelResult[]): number {
  let longestUs = 0;
  for (let index = 0; index < results.length; index += 1) {
    const result = results[index];
    if (result?.kind === 'taken' && result.waitUs > longestUs) longestUs = result.waitUs;
  }
  return longestUs;
}
