import { setTimeout as sleepFor } from 'node:timers/promises';
import { awsHandler, environmentOf, STREAM_FILTERS } from '@millrace/aggregator-lambda';
import { EngineStream, type LocalEngine, StreamPump } from '@millrace/testing';

/** What the aggregator did, by its own metrics, and what it was not rid of. */
export interface AggregatorWork {
  readonly batches: number;
  readonly bucketWrites: number;
  readonly windowsWritten: number;
  /** How old the oldest record of a batch was at most when the batch was done. */
  readonly longestLagMs: number;
  /** Records that were given up after all attempts. */
  readonly givenUp: number;
}

const BATCH_RECORDS = 1_000;
const BATCH_WINDOW_MS = 500;
const IDLE_MS = 100;

/**
 * The aggregator behind the stream of the table, as it is deployed but for Lambda: the pump stands for that. It books until
 * it is told to finish, or is disposed.
 */
export class LiveLedger implements AsyncDisposable {
  readonly #stream: EngineStream;
  readonly #pump: StreamPump;
  readonly #stop = new AbortController();
  readonly #work = { batches: 0, bucketWrites: 0, windowsWritten: 0, longestLagMs: 0, givenUp: 0 };
  readonly #running: Promise<void>;

  private constructor(stream: EngineStream, { endpoint, region, credentials }: LocalEngine, table: string) {
    const environment = environmentOf({ MILLRACE_TABLE: table, AWS_REGION: region });
    this.#stream = stream;
    this.#pump = new StreamPump({
      source: stream,
      handler: awsHandler(environment, {
        connection: { endpoint, region, credentials },
        write: (line) => this.#note(line),
      }),
      filters: STREAM_FILTERS,
      batchSize: BATCH_RECORDS,
      batchWindowMs: BATCH_WINDOW_MS,
      onFailure: ({ DDBStreamBatchInfo: { batchSize } }) => {
        this.#work.givenUp += batchSize;
      },
    });
    this.#running = this.#pump.run(this.#stop.signal, () => sleepFor(IDLE_MS));
    // Whoever waits for it hears of it; until then it must not end the process.
    this.#running.catch(() => undefined);
  }

  /** Begins to book what happens in a table. */
  static async open(engine: LocalEngine, table: string): Promise<LiveLedger> {
    return new LiveLedger(await EngineStream.open(engine, table), engine, table);
  }

  /** Books what is left in the stream, and ends. */
  async finish(): Promise<AggregatorWork> {
    this.#stop.abort();
    await this.#running;
    await this.#pump.drain();
    return this.#work;
  }

  /** Ends when the work does, which without `finish` is when it fails: the engine is gone, say. */
  ended(): Promise<void> {
    return this.#running;
  }

  /** Adds up what a batch tells of itself; as sums, since a ledger may run for days. */
  #note(line: string): void {
    const batch = JSON.parse(line) as Partial<Record<'BucketWrites' | 'WindowsWritten' | 'Lag', number>>;
    if (batch.BucketWrites === undefined) return;
    this.#work.batches += 1;
    this.#work.bucketWrites += batch.BucketWrites;
    this.#work.windowsWritten += batch.WindowsWritten ?? 0;
    this.#work.longestLagMs = Math.max(this.#work.longestLagMs, batch.Lag ?? 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running.catch(() => undefined);
    this.#stream.close();
  }
}
