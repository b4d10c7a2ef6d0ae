import type { BatchResponse, LambdaStreamRecord } from './stream-record.js';

/** How a batch is delivered; the words are those of Lambda's event source mapping. */
export interface DeliveryRules {
  /** How often a batch that fails is sent again. */
  readonly maximumRetryAttempts: number;
  /** Whether a batch that fails is halved, so that what is at fault ends alone. */
  readonly bisectBatchOnFunctionError: boolean;
  /** Whether the function's list of failures is looked at. Without it an answer is a success, whatever it says. */
  readonly reportBatchItemFailures: boolean;
}

/** Records that were given up. */
export interface GivenUp {
  readonly records: readonly LambdaStreamRecord[];
  readonly invocations: number;
}

/** Invokes the function; an error is thrown. */
export type Invoke = (records: readonly LambdaStreamRecord[]) => Promise<BatchResponse | undefined>;

interface Attempt {
  readonly records: readonly LambdaStreamRecord[];
  /** How often exactly these records, or a batch that they are half of, have failed. */
  readonly failures: number;
}

/**
 * Delivers a batch until all its records are handled or given up, in order: what comes behind a failure waits for it.
 *
 * A list of failures is a checkpoint, as it is for Lambda: whatever lies before the first failure is done, and all from
 * there on is sent again, also what succeeded. Splitting costs no attempt. Where a batch makes no progress its first
 * record is at fault, and halving leaves that record alone in the end, so that nothing else goes with it.
 */
export async function deliver(batch: readonly LambdaStreamRecord[], rules: DeliveryRules, invoke: Invoke): Promise<readonly GivenUp[]> {
  const queue: Attempt[] = [{ records: batch, failures: 0 }];
  const givenUp: GivenUp[] = [];
  for (let attempt = queue.shift(); attempt !== undefined; attempt = queue.shift()) {
    const { records, failures } = attempt;
    const done = await handled(records, rules, invoke);
    if (done === records.length) continue;
    const rest = records.slice(done);
    if (done > 0) queue.unshift({ records: rest, failures: 0 });
    else if (rules.bisectBatchOnFunctionError && rest.length > 1) {
      const middle = Math.ceil(rest.length / 2);
      queue.unshift({ records: rest.slice(0, middle), failures }, { records: rest.slice(middle), failures });
    } else if (failures < rules.maximumRetryAttempts) queue.unshift({ records: rest, failures: failures + 1 });
    else givenUp.push({ records: rest, invocations: failures + 1 });
  }
  return givenUp;
}

/** How many records from the start are handled. */
async function handled(records: readonly LambdaStreamRecord[], rules: DeliveryRules, invoke: Invoke): Promise<number> {
  let response: BatchResponse | undefined;
  try {
    response = await invoke(records);
  } catch (error) {
    if (error instanceof PumpCrash) throw error;
    return 0;
  }
  const failed = rules.reportBatchItemFailures ? (response?.batchItemFailures ?? []) : [];
  if (failed.length === 0) return records.length;
  const places = failed.map(({ itemIdentifier }) => records.findIndex(({ dynamodb }) => dynamodb.SequenceNumber === itemIdentifier));
  // An identifier that is none of the batch's makes Lambda take the whole batch for failed.
  return Math.max(0, Math.min(...places));
}

/** The pump itself dies: what was not checkpointed is delivered again by the next one. */
export class PumpCrash extends Error {
  override readonly name = 'PumpCrash';
}
