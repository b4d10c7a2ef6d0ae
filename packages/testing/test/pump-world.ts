import {
  type FailureMessage,
  type LambdaStreamRecord,
  MemoryStream,
  type PumpOptions,
  type StreamHandler,
  StreamPump,
} from '@millrace/testing';

/** A stream of writes to items, the n-th of which holds n. */
export function streamOf(keys: readonly string[], shardCount = 1): MemoryStream {
  const stream = new MemoryStream(shardCount);
  keys.forEach((key, index) => {
    stream.append({ newImage: { PK: { S: key }, SK: { S: 'x' }, n: { N: String(index) } }, atMs: 1_700_000_000_999 });
  });
  return stream;
}

/** The number that a record's item holds. */
export const numberOf = ({ dynamodb }: LambdaStreamRecord): number => Number(dynamodb.NewImage?.['n']?.['N' as never]);
/** The key of a record's item. */
export const keyOf = (record: LambdaStreamRecord): string => (record.dynamodb.Keys['PK'] as { S: string }).S;

/** A function that notes what it gets, and answers as it is told. */
export function noting(answer: (numbers: readonly number[], records: readonly LambdaStreamRecord[]) => unknown = () => undefined) {
  const batches: number[][] = [];
  const handler: StreamHandler = async ({ Records: records }) => {
    const numbers = records.map(numberOf);
    batches.push(numbers);
    return answer(numbers, records) as Awaited<ReturnType<StreamHandler>>;
  };
  return { batches, handler };
}

/** The answer by which a function fails the records that hold some numbers. */
export const failing = (records: readonly LambdaStreamRecord[], bad: readonly number[]) => ({
  batchItemFailures: records.filter((record) => bad.includes(numberOf(record))).map((r) => ({ itemIdentifier: r.dynamodb.SequenceNumber })),
});

/** Drains a stream, and gives what went to the failure destination. */
export async function drained(options: PumpOptions): Promise<{ readonly pump: StreamPump; readonly messages: readonly FailureMessage[] }> {
  const messages: FailureMessage[] = [];
  const pump = new StreamPump({ onFailure: (message) => void messages.push(message), ...options });
  await pump.drain();
  return { pump, messages };
}

/** The items of a stream of ten. */
export const ten = Array.from({ length: 10 }, (_, index) => `item-${index}`);
