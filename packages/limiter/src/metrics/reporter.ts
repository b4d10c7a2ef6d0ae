import { LIMITER_METRICS, METRIC_DIMENSION, type MetricPoint } from '@millrace/core';
import type { Observed } from './access.js';
import { DecisionCounts } from './decision-counts.js';
import { Growth } from './growth.js';
import type { CheckedReporting } from './options.js';
import type { MetricReport } from './sink.js';

/** How a reporter does. */
export interface ReporterStats {
  /** Reports that the sink took. */
  readonly reports: number;
  /** Reports that were lost, as the sink failed or was late. */
  readonly failures: number;
  /** What was wrong the last time. */
  readonly lastFailure: unknown;
}

/** Reports what a limiter does, until it is closed. Nothing that goes wrong here is thrown: it is counted. */
export class MetricsReporter {
  readonly #observed: Observed;
  readonly #options: CheckedReporting;
  readonly #decisions: DecisionCounts;
  readonly #growth: Growth;
  readonly #detach: () => void;
  readonly #close = (): Promise<void> => this.close();
  /** The report that runs, and the one that waits for it; a third would have nothing to say. */
  #running: Promise<void> = Promise.resolve();
  #waiting: Promise<void> | undefined;
  #closed: Promise<void> | undefined;
  #reports = 0;
  #failures = 0;
  #untoldFailures = 0;
  #lastFailure: unknown;

  constructor(observed: Observed, options: CheckedReporting) {
    const { runtime, maxResources, topEntities, intervalMs } = options;
    this.#observed = observed;
    this.#options = options;
    this.#growth = new Growth(() => ({ stats: observed.stats(), cache: observed.cacheStats() }));
    this.#decisions = new DecisionCounts(runtime.steadyMs, maxResources, topEntities);
    const unwatch = observed.observation.watch(this.#decisions);
    const stop = runtime.every(intervalMs, () => void this.flush());
    observed.endings.add(this.#close);
    this.#detach = () => {
      stop();
      unwatch();
      observed.endings.delete(this.#close);
    };
  }

  /**
   * Reports now what was counted since the last report; in a Lambda function, do it before each invocation ends, since no
   * timer runs after that. Ends when the sink has taken it, or failed, or is late; never with an error.
   */
  flush(): Promise<void> {
    if (this.#closed !== undefined) return this.#closed;
    return this.#flush();
  }

  /** Reports what is left, and stops. What `limiter.close()` does, too. */
  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  /** Closes: what `await using` does at the end of a block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** How it goes. */
  stats(): ReporterStats {
    return { reports: this.#reports, failures: this.#failures, lastFailure: this.#lastFailure };
  }

  #flush(): Promise<void> {
    if (this.#waiting !== undefined) return this.#waiting;
    this.#waiting = this.#running.then(() => {
      this.#waiting = undefined;
      return this.#report();
    });
    this.#running = this.#waiting;
    return this.#waiting;
  }

  async #end(): Promise<void> {
    this.#detach();
    await this.#flush();
    try {
      await this.#inTime('close', async () => this.#options.sink.close?.());
    } catch (error) {
      this.#fail(error);
    }
  }

  async #report(): Promise<void> {
    const failuresTold = this.#untoldFailures;
    try {
      await this.#inTime('take the report', async (signal) => this.#options.sink.send(this.#next(), signal));
      this.#reports += 1;
      this.#untoldFailures -= failuresTold;
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Waits for the sink, but not for ever. */
  async #inTime(what: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { timeoutMs, runtime } = this.#options;
    const [late, done] = [new AbortController(), new AbortController()];
    const lateness = runtime.sleep(timeoutMs, done.signal).then(() => {
      if (done.signal.aborted) return;
      late.abort();
      throw new Error(`the sink did not ${what} within ${timeoutMs} ms`);
    });
    try {
      await Promise.race([work(late.signal), lateness]);
    } finally {
      done.abort();
    }
  }

  /** What is to be reported. Once taken it counts as reported, since a sink that failed may have taken it nevertheless. */
  #next(): MetricReport {
    const { namespace, runtime } = this.#options;
    const { table } = this.#observed;
    const { total, resources, entities } = this.#decisions.take(table);
    const failures = { definition: LIMITER_METRICS.reportFailures, value: this.#untoldFailures };
    const whole: MetricPoint = {
      dimensions: { [METRIC_DIMENSION.table]: table },
      metrics: [...total, ...this.#growth.take(), failures],
    };
    return { namespace, atMs: runtime.nowMs(), table, points: [whole, ...resources], entities };
  }

  #fail(error: unknown): void {
    this.#failures += 1;
    this.#untoldFailures += 1;
    this.#lastFailure = error;
    if (this.#failures > 1) return;
    const reason = error instanceof Error ? error.message : String(error);
    this.#options.runtime.warn(`a report of metrics was lost: ${reason}; it goes on, and later ones say how many (ReportFailures)`);
  }
}
