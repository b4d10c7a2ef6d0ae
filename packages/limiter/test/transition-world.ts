import { Limit } from '@millrace/core';
import type { Engine } from '@millrace/limiter/engine';
import type { FakeRuntime } from '@millrace/testing';
import { expect } from 'vitest';

/** A change of the limits of an entity on a resource. */
export interface Transition {
  readonly before: readonly Limit[];
  readonly after: readonly Limit[];
  /** The limits before are the entity's own, and deleting that level leaves those after it, the resource's. */
  readonly deletesLevel?: boolean;
}

const rpm = (refill: number, capacity = refill, periodMs = 60_000) => Limit.of({ name: 'rpm', refill, periodMs, capacity });
const tpm = (refill: number, name = 'tpm') => Limit.of({ name, refill, periodMs: 60_000 });

export const TRANSITIONS: Readonly<Record<string, Transition>> = {
  'a raised capacity': { before: [rpm(60, 20)], after: [rpm(60, 40)] },
  'a lowered capacity': { before: [rpm(60, 40)], after: [rpm(60, 20)] },
  'a raised rate': { before: [rpm(60, 40)], after: [rpm(600, 40)] },
  'a lowered rate': { before: [rpm(600, 40)], after: [rpm(60, 40)] },
  'a raised rate and capacity': { before: [rpm(20)], after: [rpm(200)] },
  'a lowered rate and capacity': { before: [rpm(200)], after: [rpm(20)] },
  'an added limit': { before: [rpm(40)], after: [rpm(40), tpm(80)] },
  'a removed limit': { before: [rpm(40), tpm(80)], after: [rpm(40)] },
  'a renamed limit': { before: [rpm(40), tpm(80)], after: [rpm(40), tpm(80, 'tokens')] },
  'a deleted level': { before: [rpm(200)], after: [rpm(20)], deletesLevel: true },
  'a deleted level that was stricter': { before: [rpm(20)], after: [rpm(200)], deletesLevel: true },
  'a longer period of the same rate': { before: [rpm(60)], after: [rpm(3_600, 60, 3_600_000)] },
  'a longer period of the same tokens': { before: [rpm(60)], after: [rpm(60, 60, 3_600_000)] },
  'a shorter period of the same tokens': { before: [rpm(60, 60, 3_600_000)], after: [rpm(60)] },
};

/** How a bucket is used when the change comes. */
export const STATES = ['idle', 'half used', 'exhausted', 'in debt'] as const;
type BucketUse = (typeof STATES)[number];

/** Counts what is admitted by name of the limit, and holds it against what may be. */
export class Witness {
  readonly #runtime: FakeRuntime;
  readonly #entity: string;
  readonly #resource: string;
  #admitted = new Map<string, number>();
  #sinceMs: number;

  constructor(runtime: FakeRuntime, entity: string, resource: string) {
    this.#runtime = runtime;
    this.#entity = entity;
    this.#resource = resource;
    this.#sinceMs = runtime.clock.nowMs();
  }

  /** Forgets what was admitted: from now on it is counted anew. */
  restart(): void {
    this.#admitted = new Map();
    this.#sinceMs = this.#runtime.clock.nowMs();
  }

  /** Uses the bucket up to a state. */
  async use(engine: Engine, limits: readonly Limit[], state: BucketUse): Promise<void> {
    if (state === 'half used') for (const { name, capacity } of limits) await this.take(engine, { [name]: Math.floor(capacity / 2) });
    if (state === 'exhausted') await this.takeAll(engine, limits);
    if (state !== 'in debt') return;
    const amounts = Object.fromEntries(limits.map(({ name }) => [name, 1]));
    const lease = await engine.acquire(this.#entity, this.#resource, amounts);
    for (const { name } of limits) this.#count(name, 1);
    // What is adjusted is no admission: it was spent already, and the limit is what has to bear it.
    await lease.adjust(Object.fromEntries(limits.map(({ name, capacity }) => [name, capacity * 2])));
  }

  /** One acquire. Whatever comes of it but an answer fails the test. */
  async take(engine: Engine, amounts: Readonly<Record<string, number>>): Promise<boolean> {
    const verdict = await engine.tryAcquire(this.#entity, this.#resource, amounts);
    if (verdict.allowed) for (const [limit, tokens] of Object.entries(amounts)) this.#count(limit, tokens);
    return verdict.allowed;
  }

  /** Takes all that there is, in large steps and then in small ones. */
  async takeAll(engine: Engine, limits: readonly Limit[]): Promise<void> {
    for (const { name, capacity } of limits) {
      for (const tokens of [Math.ceil(capacity / 10), 1]) {
        for (let tries = 0; tries < 30; tries += 1) if (!(await this.take(engine, { [name]: tokens }))) break;
      }
    }
  }

  /** Expects that no more was admitted of any limit than the largest capacity and the fastest rate of `bounds` allow. */
  check(limits: readonly Limit[], bounds: readonly Limit[]): void {
    const passedMs = this.#runtime.clock.nowMs() - this.#sinceMs;
    for (const { name } of limits) {
      const named = bounds.filter((bound) => bound.name === name);
      const capacity = Math.max(...named.map((bound) => bound.capacity));
      const perMs = Math.max(...named.map((bound) => bound.refill / bound.periodMs));
      expect(this.#admitted.get(name) ?? 0, `${name} in ${passedMs} ms`).toBeLessThanOrEqual(capacity + perMs * passedMs + 1);
    }
  }

  #count(limit: string, tokens: number): void {
    this.#admitted.set(limit, (this.#admitted.get(limit) ?? 0) + tokens);
  }
}
