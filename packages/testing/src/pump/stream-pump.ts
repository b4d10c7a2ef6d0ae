import { type DeliveryRules, deliver, PumpCrash } from './delivery.js';
import { matches } from './filter.js';
import { hashOf, itemName } from './memory-stream.js';
import { checkPumpOptions, type FailureMessage, type PumpCheckpoints, type PumpOptions } from './pump-options.js';
import type { LambdaStreamRecord, StreamShard } from './stream-record.js';

interface ShardState {
  readonly pending: LambdaStreamRecord[];
  pendingSinceMs: number;
  isEnd: boolean;
}

/** Reads of a shard that find nothing, one after the other, before `drain` believes that there is nothing. */
const EMPTY_PASSES = 2;

/**
 * Stands between a stream and a function as Lambda does: it polls shards, makes batches, invokes, and decides by the
 * answer what is sent again, halved or given up. One invocation at a time for a shard, or for a lane of it.
 */
export class StreamPump {
  readonly checkpoints: PumpCheckpoints;
  readonly #options: ReturnType<typeof checkPumpOptions>;
  readonly #rules: DeliveryRules;
  readonly #batchSize: number;
  readonly #lanes: number;
  readonly #nowMs: () => number;
  readonly #states = new Map<string, ShardState>();
  #invocations = 0;

  /** Throws `ValidationError` for options that are none, or out of bounds: a pump without lanes would lose all that it reads. */
  constructor(options: PumpOptions) {
    const checked = checkPumpOptions(options);
    this.#options = checked;
    this.#rules = checked;
    this.#batchSize = checked.batchSize;
    this.#lanes = checked.parallelizationFactor;
    this.#nowMs = checked.nowMs ?? Date.now;
    this.checkpoints = checked.checkpoints ?? new Map();
  }

  /** How often the function was invoked. */
  get invocations(): number {
    return this.#invocations;
  }

  /** Delivers all that is in the stream, and returns when there is nothing more. */
  async drain(): Promise<void> {
    for (let empty = 0; empty < EMPTY_PASSES; ) empty = (await this.pass(true)) === 0 ? empty + 1 : 0;
  }

  /** Polls until told to end; `idle` is awaited after each pass that found nothing. What has been read by then is delivered. */
  async run(signal: AbortSignal, idle: () => Promise<unknown>): Promise<void> {
    while (!signal.aborted) if ((await this.pass(false)) === 0) await idle();
    await this.pass(true);
  }

  /** Polls each shard once, delivers what makes a batch, or all of it, and tells how many records it has read or delivered. */
  async pass(isFlush: boolean): Promise<number> {
    const shards = await this.#options.source.shards();
    const known = new Set(shards.map(({ id }) => id));
    const ready = shards.filter((shard) => !this.checkpoints.get(shard.id)?.isDone && this.#isParentDone(shard, known));
    const counts = await settled(ready.map(({ id }) => this.#passOf(id, isFlush)));
    // A shard's children become readable in the next pass, so its end is news.
    return counts.reduce((sum, count) => sum + count, 0);
  }

  #isParentDone({ parent }: StreamShard, known: ReadonlySet<string>): boolean {
    // A parent that the stream no longer names was trimmed with all its records.
    return parent === undefined || !known.has(parent) || this.checkpoints.get(parent)?.isDone === true;
  }

  async #passOf(shard: string, isFlush: boolean): Promise<number> {
    const state = this.#stateOf(shard);
    const wanted = this.#batchSize * this.#lanes;
    const read = await this.#fill(shard, state, wanted);
    const isDue = isFlush || state.isEnd || this.#nowMs() - state.pendingSinceMs >= this.#options.batchWindowMs;
    if (state.pending.length < wanted && !isDue) return read;
    const records = state.pending.slice(0, wanted);
    await settled(this.#lanesOf(records.filter((record) => this.#isWanted(record))).map((lane) => this.#deliverLane(shard, lane)));
    state.pending.splice(0, records.length);
    const wasDone = this.checkpoints.get(shard)?.isDone ?? false;
    const isDone = state.isEnd && state.pending.length === 0;
    const after = records.at(-1)?.dynamodb.SequenceNumber ?? this.checkpoints.get(shard)?.after;
    this.checkpoints.set(shard, { after, isDone });
    return Math.max(read, records.length) + (isDone && !wasDone ? 1 : 0);
  }

  #stateOf(shard: string): ShardState {
    const state = this.#states.get(shard) ?? { pending: [], pendingSinceMs: this.#nowMs(), isEnd: false };
    this.#states.set(shard, state);
    return state;
  }

  /** Reads until there is enough, or nothing more at the moment. */
  async #fill(shard: string, state: ShardState, wanted: number): Promise<number> {
    let read = 0;
    while (state.pending.length < wanted && !state.isEnd) {
      const after = state.pending.at(-1)?.dynamodb.SequenceNumber ?? this.checkpoints.get(shard)?.after;
      const page = await this.#options.source.read(shard, after, wanted - state.pending.length);
      if (state.pending.length === 0) state.pendingSinceMs = this.#nowMs();
      state.pending.push(...page.records);
      state.isEnd = page.isEnd;
      read += page.records.length;
      if (page.records.length === 0) break;
    }
    return read;
  }

  #isWanted(record: LambdaStreamRecord): boolean {
    return this.#options.filters?.some((pattern) => matches(pattern, record)) ?? true;
  }

  /** Records of one item stay together and in order; there is no order between lanes. */
  #lanesOf(records: readonly LambdaStreamRecord[]): readonly (readonly LambdaStreamRecord[])[] {
    const lanes = Array.from({ length: this.#lanes }, (): LambdaStreamRecord[] => []);
    for (const record of records) lanes[this.#lanes === 1 ? 0 : hashOf(itemName(record)) % this.#lanes]?.push(record);
    return lanes.filter((lane) => lane.length > 0);
  }

  async #deliverLane(shard: string, lane: readonly LambdaStreamRecord[]): Promise<void> {
    for (let start = 0; start < lane.length; start += this.#batchSize) {
      const batch = lane.slice(start, start + this.#batchSize);
      const givenUp = await deliver(batch, this.#rules, (records) => this.#invoke(records));
      for (const { records, invocations } of givenUp) await this.#options.onFailure?.(this.#failureMessage(shard, records, invocations));
    }
  }

  async #invoke(records: readonly LambdaStreamRecord[]) {
    if (this.#options.dies?.('before')) throw new PumpCrash('the pump dies before it invokes the function');
    this.#invocations += 1;
    const untilMs = this.#nowMs() + this.#options.timeoutMs;
    const context = {
      awsRequestId: `pump-${this.#invocations}`,
      getRemainingTimeInMillis: () => Math.max(0, untilMs - this.#nowMs()),
    };
    // A copy: what a function does to its event must not be seen by the next one.
    const [outcome] = await Promise.allSettled([this.#options.handler({ Records: structuredClone([...records]) }, context)]);
    if (this.#options.dies?.('after')) throw new PumpCrash('the pump dies before it notes what the function has answered');
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }

  #failureMessage(shard: string, records: readonly LambdaStreamRecord[], invocations: number): FailureMessage {
    const edge = (record: LambdaStreamRecord | undefined): string => record?.dynamodb.SequenceNumber ?? '';
    return {
      requestContext: {
        requestId: `pump-${this.#invocations}`,
        condition: 'RetryAttemptsExhausted',
        approximateInvokeCount: invocations,
      },
      DDBStreamBatchInfo: {
        shardId: shard,
        startSequenceNumber: edge(records[0]),
        endSequenceNumber: edge(records.at(-1)),
        batchSize: records.length,
      },
    };
  }
}

/** Waits for all, also when one fails: a dying pump must leave nothing running behind. */
async function settled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(promises);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}
