import { type BucketRef, bucketName, Limit, statusOf } from '@millrace/core';
import { FailingStore, FakeRuntime } from '@millrace/testing';
import { BoundedMap } from '../src/engine/bounded-map.js';
import { Holding } from '../src/engine/holding.js';
import { BucketKnowledge } from '../src/engine/knowledge.js';
import { type Level, levelFor } from '../src/engine/level.js';
import { MonotonicClock } from '../src/engine/monotonic-clock.js';
import { RequestIds } from '../src/engine/request-ids.js';
import { Stats } from '../src/engine/stats.js';
import { type TakeParts, type TakeResult, take } from '../src/engine/take.js';
import { techniquesFrom } from '../src/engine/techniques.js';

export const REF: BucketRef = { namespaceId: 'ns', entity: 'key', resource: 'model', shard: 0 };
const DEADLINE_MS = 3_600_000;

/** 1,000 tokens, which come back within a minute at 1,000 a minute. */
export function perMinute(tokens: number, capacity = 1_000): Limit {
  return Limit.perMinute('rpm', tokens, { capacity, reserve: 0 });
}

/** One bucket, whose rate changes while processes with different configurations take from it. */
export class ScaleWorld {
  readonly runtime: FakeRuntime;
  readonly store = new FailingStore();

  constructor(seed = 1) {
    this.runtime = new FakeRuntime({ seed });
  }

  /** One more process. */
  open(): ScaleProcess {
    return new ScaleProcess(this);
  }

  get nowUs(): number {
    return this.runtime.clock.nowMs() * 1000;
  }

  /** The forms of the writes that reach the store while something is done; a fence has none. */
  async formsOf(work: () => Promise<unknown>): Promise<string[]> {
    const before = this.store.writes.length;
    await work();
    return this.store.writes.slice(before).map(({ moves }) => [...new Set(moves.map(({ form }) => form))].join('+') || 'fence');
  }

  /** What one request could take by a limit, whatever scale the bucket is in. */
  available(limit: Limit): number {
    return statusOf(REF, limit, 1, this.store.bucket(REF), this.nowUs).available;
  }
}

/** A process that takes from the bucket, by whatever limits it is told. */
export class ScaleProcess {
  readonly stats = new Stats();
  readonly parts: TakeParts;

  constructor({ runtime, store }: ScaleWorld) {
    const clock = new MonotonicClock(runtime.clock);
    const { sleep, random } = runtime;
    const newDeadlineMs = () => clock.nowMs() + DEADLINE_MS;
    const requestIds = new RequestIds(random);
    this.parts = {
      buckets: store,
      clock,
      sleep,
      random,
      stats: this.stats,
      requestIds,
      hotItems: new BoundedMap<true>(100),
      techniques: techniquesFrom(),
      knowledge: new BucketKnowledge(100),
      newDeadlineMs,
    };
  }

  /** Takes tokens of the limits in one write. */
  async take(limits: Limit | readonly Limit[], tokens: number, configVersion = 0): Promise<TakeResult> {
    const held = [limits].flat() as readonly Limit[];
    const level = levelOf(held, Object.fromEntries(held.map(({ name }) => [name, tokens])), configVersion);
    const result = await take(this.parts, level, this.parts.newDeadlineMs());
    if (result.kind === 'failed') throw result.error;
    return result;
  }

  /** Takes tokens, and holds them as a lease does. */
  async hold(limit: Limit, tokens: number, configVersion = 0): Promise<Holding> {
    return this.holding(await this.take(limit, tokens, configVersion));
  }

  /** What a lease holds after a take. */
  holding(result: TakeResult): Holding {
    if (result.kind !== 'taken') throw new Error(`the take ended as ${result.kind}`);
    return new Holding(result.level, 'taken');
  }

  /** Takes one token at a time until one is refused, and says how many were admitted. */
  async drain(limit: Limit, configVersion = 0): Promise<number> {
    let tokens = 0;
    while ((await this.take(limit, 1, configVersion)).kind === 'taken') tokens += 1;
    return tokens;
  }

  /** Takes more (above zero) or gives back, as a lease does. */
  async change(holding: Holding, tokens: number): Promise<void> {
    await holding.change(this.parts, new Map([['rpm', tokens]]), this.parts.newDeadlineMs());
  }
}

function levelOf(limits: readonly Limit[], amounts: Readonly<Record<string, number>>, configVersion = 0): Level {
  return levelFor({ ref: REF, bucket: bucketName(REF), limits, configVersion, mode: 'enforce', waitUs: 0, stored: undefined }, amounts);
}
