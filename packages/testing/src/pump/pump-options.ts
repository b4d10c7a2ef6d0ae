import { checkInteger, checkKeys, ValidationError } from '@millrace/core';
import type { DeliveryRules } from './delivery.js';
import type { FilterPattern } from './filter.js';
import type { StreamHandler, StreamSource } from './stream-record.js';

/** A moment at which a pump may die: before it invokes the function, or when the function has answered. */
type PumpMoment = 'before' | 'after';

/** What goes to the failure destination: where the records were, and none of them, as Lambda does it. */
export interface FailureMessage {
  readonly requestContext: {
    readonly requestId: string;
    readonly condition: 'RetryAttemptsExhausted';
    readonly approximateInvokeCount: number;
  };
  readonly DDBStreamBatchInfo: {
    readonly shardId: string;
    readonly startSequenceNumber: string;
    readonly endSequenceNumber: string;
    readonly batchSize: number;
  };
}

/** How far each shard was handled; whoever gets it goes on from there. */
export type PumpCheckpoints = Map<string, { readonly after: string | undefined; readonly isDone: boolean }>;

/**
 * Options; those of Lambda's event source mapping have its names and bounds. Unless given a batch that fails is sent again three times,
 * is halved, and the function's list of failures is looked at: Lambda by itself would repeat for ever, and do neither.
 */
export interface PumpOptions extends Partial<DeliveryRules> {
  readonly source: StreamSource;
  readonly handler: StreamHandler;
  /** What the function wants to see: records that match one of them. @default - all */
  readonly filters?: readonly FilterPattern[];
  /** 1 to 10 000. @default 100 */
  readonly batchSize?: number;
  /** How long `run` waits for a batch to fill. `drain` never does. At most 300 000. @default 0 */
  readonly batchWindowMs?: number;
  /** Batches of one shard that are in the function's hands at once, 1 to 10; only records of one item keep their order. @default 1 */
  readonly parallelizationFactor?: number;
  /** What the function is told that it has. @default 60 000 */
  readonly timeoutMs?: number;
  /** Told of records that were given up. @default - nobody is: what the function cannot handle is gone, as from a mapping without a destination */
  readonly onFailure?: (message: FailureMessage) => void | Promise<void>;
  /** Whether the pump dies now; it then throws {@link PumpCrash}. */
  readonly dies?: (moment: PumpMoment) => boolean;
  /** Where a pump before this one has come to. @default - the start of the stream */
  readonly checkpoints?: PumpCheckpoints;
  /** @default - the system's clock */
  readonly nowMs?: () => number;
}

const KEYS = [
  'source',
  'handler',
  'filters',
  'batchSize',
  'batchWindowMs',
  'parallelizationFactor',
  'timeoutMs',
  'maximumRetryAttempts',
  'bisectBatchOnFunctionError',
  'reportBatchItemFailures',
  'onFailure',
  'dies',
  'checkpoints',
  'nowMs',
] as const satisfies readonly (keyof PumpOptions)[];

const MOST_RECORDS = 10_000;
const MOST_WINDOW_MS = 300_000;
const MOST_LANES = 10;
const MOST_RETRIES = 10_000;
const MOST_LAMBDA_MS = 900_000;

/** Checks options by the bounds of Lambda's event source mapping, and fills in what was left out. */
export function checkPumpOptions(options: PumpOptions) {
  checkKeys('options', options, KEYS);
  const { bisectBatchOnFunctionError = true, reportBatchItemFailures = true } = options;
  if (typeof options.handler !== 'function') throw new ValidationError('option "handler"', 'a function', options.handler);
  if (typeof options.source?.read !== 'function')
    throw new ValidationError('option "source"', 'a stream, as EngineStream is', options.source);
  for (const [name, value] of Object.entries({ bisectBatchOnFunctionError, reportBatchItemFailures })) {
    if (typeof value !== 'boolean') throw new ValidationError(`option "${name}"`, 'true or false', value);
  }
  return {
    ...options,
    bisectBatchOnFunctionError,
    reportBatchItemFailures,
    batchSize: checkInteger('option "batchSize"', options.batchSize ?? 100, 1, MOST_RECORDS),
    batchWindowMs: checkInteger('option "batchWindowMs"', options.batchWindowMs ?? 0, 0, MOST_WINDOW_MS),
    parallelizationFactor: checkInteger('option "parallelizationFactor"', options.parallelizationFactor ?? 1, 1, MOST_LANES),
    timeoutMs: checkInteger('option "timeoutMs"', options.timeoutMs ?? 60_000, 1, MOST_LAMBDA_MS),
    maximumRetryAttempts: checkInteger('option "maximumRetryAttempts"', options.maximumRetryAttempts ?? 3, 0, MOST_RETRIES),
  };
}
