import { type LimitStatus, StoreFailure, type UnavailablePolicy, ValidationError } from '@millrace/core';
import { giveBack, type LevelResult, takeCascade } from './cascade.js';
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
export class Acquirer {
  readonly #parts: AcquirerParts;

  constructor(parts: AcquirerParts) {
    this.#parts = parts;
  }

  async acquire(request: Request, amounts: Amounts, options: AcquireOptions): Promise<Verdict> {
    const { waitingRoom } = this.#parts;
    const waitMs = options.waitMs ?? 0;
    if (waitMs === 0 || !waitingRoom.enter()) return this.#acquire(request, amounts, options, 0);
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
      resolution = await resolver.resolve(entity, resource, deadlineMs);
      for (let refreshes = 0; ; refreshes += 1) {
        const levels = await this.plan(request, resolution, amounts, deadlineMs, waitMs);
        const outcome = await takeCascade(this.#parts, levels, signal === undefined ? { deadlineMs } : { deadlineMs, signal });
        if (outcome.kind === 'taken') {
          const verdict = this.#grant(request, amounts, levels, outcome.results, options);
          observation.end(request, 'admitted', startedMs);
          await this.#waitForTurn(verdict.lease, outcome.results, options);
          return verdict;
        }
        if (outcome.kind === 'exhausted') {
          observation.end(request, outcome.isLocal ? 'locally-rejected' : 'rejected', startedMs);
          return this.#reject(outcome.statuses);
        }
        if (outcome.kind === 'failed') return await this.#unavailable(request, amounts, levels, outcome, options, startedMs);
        stats.add('staleConfigurations');
        if (refreshes === MAX_REFRESHES)
          throw new StoreFailure('throttled', 'no', `the configuration of "${entity}" changed ${MAX_REFRESHES} times in a row`);
        resolution = await resolver.refresh(entity, resource, outcome.entity, outcome.version, deadlineMs);
      }
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error;
      return await this.#unavailable(request, amounts, this.#blindLevels(request, amounts), { error, results: [] }, options, startedMs);
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
    const byLevel = new Map(results.map((result) => [result.level, result]));
    const states: HeldState[] = [];
    const holdings = levels.map((level) => {
      const result = byLevel.get(level);
      if (result?.kind !== 'taken' && result?.kind !== 'counted') return new Holding(level, 'nothing');
      states.push(...(result.kind === 'taken' ? result.shares : [result]));
      return new Holding(level, result.kind, sharesOf(result));
    });
    const shadowViolations = results.flatMap((result) => (result.kind === 'counted' ? result.violations : []));
    this.#parts.stats.add('admitted');
    if (degraded) this.#parts.stats.add('degraded');
    const owner = {
      nowUs: () => this.#parts.clock.nowUs(),
      change: (held: readonly Holding[], deltas: ReadonlyMap<string, number>) => this.#parts.track(this.#settle(held, deltas, options)),
    };
    const report = { states, degraded, shadowViolations };
    return { allowed: true, lease: new Lease({ ...owner, ...this.#recording(request, options) }, request, amounts, holdings, report) };
  }

  /** How a lease is recorded when it is committed; nothing on a resource where none is. */
  #recording({ entity, resource }: Request, { meta, idempotencyKey }: AcquireOptions): Pick<LeaseOwner, 'recording'> {
    const { recorder, namespaceId, track } = this.#parts;
    if (recorder?.records(resource) !== true) return {};
    const named = idempotencyKey === undefined ? {} : { idempotencyKey };
    const record: LeaseRecording['record'] = (use) => track(recorder.record({ namespaceId, entity, resource, ...named, ...use }));
    return { recording: { meta: meta ?? {}, record } };
  }

  /** Waits until the turn of a lease has come at every level. Who leaves before gives the place back. */
  async #waitForTurn(lease: Lease, results: readonly LevelResult[], { signal }: AcquireOptions): Promise<void> {
    const waitUs = Math.max(0, ...results.map((result) => (result.kind === 'taken' ? result.waitUs : 0)));
    if (waitUs === 0) return;
    this.#parts.stats.add('waits');
    const end = await this.#parts.waitingRoom.wait(Math.ceil(waitUs / 1_000), signal);
    if (end === 'over') return;
    // What the caller has to know is why; tokens whose return fails flow back at the limit's rate.
    await lease.release().catch(() => undefined);
    throw end === 'closed' ? new LimiterClosed('wait for tokens') : new AcquireAborted(signal?.reason);
  }

  #reject(statuses: readonly LimitStatus[]): Verdict {
    this.#parts.stats.add('rejected');
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
    const isAllowed = this.#isAllowed(error, options);
    this.#parts.stats.observation.end(request, isAllowed ? 'degraded' : 'unavailable', startedMs);
    if (isAllowed) return this.#grant(request, amounts, levels, outcome.results, options, true);
    await giveBack(this.#parts, outcome.results);
    throw error;
  }

  async #settle(holdings: readonly Holding[], deltas: ReadonlyMap<string, number>, options: AcquireOptions): Promise<ChangeReport> {
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
    if (this.#isAllowed(error, options)) return { states, degraded: true };
    throw error;
  }

  /** Whether the caller goes on without the store: the call's option, else what is stored, else not. */
  #isAllowed(error: unknown, options: AcquireOptions): boolean {
    const policy = options.onUnavailable ?? this.#parts.lastPolicy() ?? 'block';
    return policy === 'allow' && error instanceof RateLimiterUnavailable;
  }
}
