import { checkInteger, checkKeys, METRICS_NAMESPACE, type Sleep, ValidationError } from '@millrace/core';
import type { MetricSink } from './sink.js';

/** Time, as a reporter needs it; for tests. */
export interface ReporterRuntime {
  /** The time in milliseconds since the epoch, which reports are stamped with. */
  readonly nowMs: () => number;
  /** A clock that only goes forward, in milliseconds, by which acquires are timed. */
  readonly steadyMs: () => number;
  /** Calls `work` each so many milliseconds until what comes back is called. It must not keep a process alive. */
  readonly every: (periodMs: number, work: () => void) => () => void;
  /** Waits, at most until the signal says so. */
  readonly sleep: Sleep;
  /** Told of the first report that is lost. */
  readonly warn: (message: string) => void;
}

/** What is reported, where to, and how often. */
export interface ReportMetricsOptions {
  /** Where reports go: `emfSink()`, `cloudWatchSink()`, or one of your own. */
  readonly sink: MetricSink;
  /** The namespace in CloudWatch. The dashboard and the alarms look into `Millrace` unless told otherwise. @default 'Millrace' */
  readonly namespace?: string;
  /** How often a report is made, in milliseconds, from 1,000 to 3,600,000. @default 60000 */
  readonly intervalMs?: number;
  /**
   * How many resources are reported apart, from 0 to 100; all others together are `(other)`. Those in use keep their
   * place. CloudWatch asks money for each: a resource is six metrics. @default 10
   */
  readonly maxResources?: number;
  /**
   * How many of the entities that ask most are written to the log with each report, from 0 to 100: what the dashboard's
   * list of the heaviest is made of. Their names are in the log then. @default 0
   */
  readonly topEntities?: number;
  /** How long a sink may take for a report, in milliseconds, from 1 to 60,000. @default 10000 */
  readonly timeoutMs?: number;
  /** @default the system's time, and warnings of the process */
  readonly runtime?: Partial<ReporterRuntime>;
}

/** The options, checked, with what is left out filled in. */
export type CheckedReporting = Required<Omit<ReportMetricsOptions, 'runtime'>> & { readonly runtime: ReporterRuntime };

const KNOWN: readonly (keyof ReportMetricsOptions)[] = [
  'sink',
  'namespace',
  'intervalMs',
  'maxResources',
  'topEntities',
  'timeoutMs',
  'runtime',
];
const RUNTIME_KEYS: readonly (keyof ReporterRuntime)[] = ['nowMs', 'steadyMs', 'every', 'sleep', 'warn'];
const NAMESPACE = /^(?!AWS\/)[A-Za-z0-9._/#:-]{1,255}$/;

const SYSTEM: ReporterRuntime = {
  nowMs: () => Date.now(),
  steadyMs: () => performance.now(),
  every: (periodMs, work) => {
    const timer = setInterval(work, periodMs);
    timer.unref();
    return () => clearInterval(timer);
  },
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    }),
  warn: (message) => process.emitWarning(message, { type: 'MillraceWarning', code: 'MILLRACE_METRICS' }),
};

/** Checks where metrics go, and how. */
export function checkReporting(options: ReportMetricsOptions): CheckedReporting {
  checkKeys('options', options, KNOWN);
  const { runtime = {} } = options;
  checkKeys('option "runtime"', runtime, RUNTIME_KEYS);
  for (const [key, value] of Object.entries(runtime)) {
    if (typeof value !== 'function') throw new ValidationError(`option "runtime.${key}"`, 'a function', value);
  }
  return {
    sink: checkSink(options.sink),
    namespace: checkMetricsNamespace(options.namespace),
    intervalMs: checkInteger('option "intervalMs"', options.intervalMs ?? 60_000, 1_000, 3_600_000),
    maxResources: checkInteger('option "maxResources"', options.maxResources ?? 10, 0, 100),
    topEntities: checkInteger('option "topEntities"', options.topEntities ?? 0, 0, 100),
    timeoutMs: checkInteger('option "timeoutMs"', options.timeoutMs ?? 10_000, 1, 60_000),
    runtime: { ...SYSTEM, ...runtime },
  };
}

/** Checks where a report goes. */
export function checkSink(sink: unknown): MetricSink {
  if (typeof sink === 'object' && sink !== null && typeof (sink as Partial<MetricSink>).send === 'function') return sink as MetricSink;
  throw new ValidationError('option "sink"', 'emfSink(), cloudWatchSink(), or an object with send()', sink);
}

/** Checks a namespace by CloudWatch's rules. */
export function checkMetricsNamespace(namespace: unknown = METRICS_NAMESPACE): string {
  if (typeof namespace === 'string' && NAMESPACE.test(namespace)) return namespace;
  throw new ValidationError('option "namespace"', '1 to 255 letters, digits or ".", "-", "_", "/", "#", ":", not "AWS/…"', namespace);
}
