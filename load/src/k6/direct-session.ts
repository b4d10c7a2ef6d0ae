import { StoreFailure } from '@millrace/core';
import { Engine, type Lease } from '@millrace/limiter/engine';
import { DynamoStore } from '@millrace/limiter/wire';
import {
  type Amounts,
  type Answer,
  type Held,
  type Management,
  type ManagementOperation,
  type Session,
  splitDeltas,
} from '../plan/session.js';
import type { RunSettings } from '../plan/settings.js';
import { Credentials, type Environment } from './credentials.js';
import { manageThroughGateway } from './gateway.js';
import type { Meter } from './meter.js';
import { CLOCK, elapsedMs, sleep } from './runtime.js';
import { K6Transport } from './transport.js';

/** A limiter keeps what it read so long, as one in a service does. */
const CONFIG_TTL_MS = 60_000;
const MAX_ENTRIES = 10_000;
/** How long a call may go on, in requests that take as long as they may. */
const REQUESTS_PER_CALL = 3;

/** The limiter's own engine in a virtual user: what an application does, with k6's HTTP in the place of Node's. */
export class DirectSession implements Session {
  readonly #settings: RunSettings;
  readonly #meter: Meter;
  readonly #store: DynamoStore;
  #engine: Engine | undefined;
  #opening: Promise<Engine | undefined> | undefined;

  constructor(settings: RunSettings, meter: Meter, env: Environment) {
    this.#settings = settings;
    this.#meter = meter;
    const { endpoint, region, table, requestTimeoutMs: timeoutMs } = settings;
    const onRequest = (_: string, readUnits: number, writeUnits: number): void => {
      meter.cost('requests', 1);
      meter.cost('read_units', readUnits);
      meter.cost('write_units', writeUnits);
    };
    const credentials = new Credentials(env);
    const onRefusedWrite = (): void => meter.cost('refused_writes', 1);
    const transport = new K6Transport({ endpoint, region, table, timeoutMs, credentials, onRequest, onRefusedWrite });
    this.#store = new DynamoStore(transport, table);
  }

  async acquire(entity: string, resource: string, amounts: Amounts, options: { readonly waitMs?: number } = {}): Promise<Answer> {
    const engine = this.#engine ?? (await this.#open());
    if (engine === undefined) return { kind: 'failed' };
    const fromMs = elapsedMs();
    try {
      const verdict = await engine.tryAcquire(entity, resource, amounts, options);
      const tookMs = elapsedMs() - fromMs;
      this.#meter.verdict(!verdict.allowed);
      if (!verdict.allowed) {
        this.#meter.answered('rate_limited', tookMs);
        return { kind: 'refused', retryAfterMs: verdict.retryAfterMs };
      }
      this.#meter.answered('acquire', tookMs);
      this.#meter.tokens('taken', amounts);
      return { kind: 'held', held: this.#held(verdict.lease) };
    } catch {
      this.#meter.failed(elapsedMs() - fromMs);
      this.#meter.tokens('unknown', amounts);
      return { kind: 'failed' };
    }
  }

  async available(entity: string, resource: string): Promise<Amounts | undefined> {
    const engine = this.#engine ?? (await this.#open());
    if (engine === undefined) return undefined;
    const fromMs = elapsedMs();
    try {
      const amounts = await engine.available(entity, resource);
      this.#meter.answered('available', elapsedMs() - fromMs);
      return amounts;
    } catch {
      this.#meter.failed(elapsedMs() - fromMs);
      return undefined;
    }
  }

  manage<O extends ManagementOperation>(operation: O, given: Management[O]): Promise<void> {
    return manageThroughGateway(this.#settings, this.#meter, operation, given);
  }

  #held(lease: Lease): Held {
    return {
      commit: (deltas) => {
        const isMoved = deltas !== undefined && Object.values(deltas).some((tokens) => tokens !== 0);
        if (isMoved) return this.#adjust(lease, deltas);
        // Sends nothing, so it is no sample.
        return lease.settled ? Promise.resolve() : lease.commit();
      },
      release: () => this.#settle({ added: {}, returned: lease.consumed }, () => lease.release()),
    };
  }

  async #adjust(lease: Lease, deltas: Amounts): Promise<void> {
    const { added, returned } = splitDeltas(deltas);
    await this.#settle({ added, returned }, () => lease.adjust(deltas));
    await lease.commit().catch(() => undefined);
  }

  /** Times what settles a lease, and counts its tokens once it is known that they moved. */
  async #settle(moved: { readonly added: Amounts; readonly returned: Amounts }, work: () => Promise<void>): Promise<void> {
    const fromMs = elapsedMs();
    try {
      await work();
      this.#meter.answered('commit', elapsedMs() - fromMs);
      this.#meter.tokens('added', moved.added);
      this.#meter.tokens('returned', moved.returned);
    } catch {
      this.#meter.failed(elapsedMs() - fromMs);
      this.#meter.tokens('unknown', moved.added);
      this.#meter.tokens('unknown', moved.returned);
    }
  }

  /** Reads the namespace's entry, as a service does when it opens a limiter; once for all callers. */
  #open(): Promise<Engine | undefined> {
    this.#opening ??= this.#tryToOpen().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #tryToOpen(): Promise<Engine | undefined> {
    const { namespace, requestTimeoutMs, configTtlMs = CONFIG_TTL_MS } = this.#settings;
    const fromMs = elapsedMs();
    try {
      const record = await this.#store.findNamespace(namespace);
      if (record === undefined) throw new StoreFailure('refused', 'no', `there is no namespace "${namespace}"`);
      this.#engine = new Engine({
        store: this.#store,
        namespaceId: record.id,
        clock: CLOCK,
        sleep,
        random: Math.random,
        deadlineMs: REQUESTS_PER_CALL * requestTimeoutMs,
        configTtlMs,
        maxEntries: MAX_ENTRIES,
      });
      this.#meter.answered('open_limiter', elapsedMs() - fromMs);
      return this.#engine;
    } catch {
      this.#meter.failed(elapsedMs() - fromMs);
      return undefined;
    }
  }
}
