import { type LambdaStreamRecord, type PumpOptions, type StreamHandler, StreamPump } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { drained, failing, noting, numberOf, streamOf, ten } from './pump-world.js';

describe('what a pump hands over', () => {
  it('is a copy: what a function does to its event is not seen when that comes again', async () => {
    const seen: number[] = [];
    const handler: StreamHandler = async ({ Records: records }) => {
      const [record] = records;
      seen.push(numberOf(record as LambdaStreamRecord));
      Object.assign(record?.dynamodb.NewImage ?? {}, { n: { N: '99' } });
      if (seen.length < 3) throw new Error('again');
      return undefined;
    };

    await drained({ source: streamOf(['a']), handler });

    expect(seen).toEqual([0, 0, 0]);
  });

  it('says how much time is left of what a function may take, and never less than none', async () => {
    let nowMs = 1_000;
    const left: number[] = [];
    const handler: StreamHandler = async (_, context) => {
      for (const atMs of [1_000, 3_500, 9_000]) {
        nowMs = atMs;
        left.push(context.getRemainingTimeInMillis());
      }
      return undefined;
    };

    await drained({ source: streamOf(['a']), handler, timeoutMs: 5_000, nowMs: () => nowMs });

    expect(left).toEqual([5_000, 2_500, 0]);
  });

  it('is only what the function wants to see; the rest is passed over', async () => {
    const { batches, handler } = noting();
    const filters = [{ dynamodb: { NewImage: { n: { N: ['3', '7'] } } } }];

    const { pump } = await drained({ source: streamOf(ten), handler, filters, batchSize: 4 });
    await drained({ source: streamOf(ten), handler, checkpoints: pump.checkpoints });

    expect(batches).toEqual([[3], [7]]);
  });
});

describe('a batch that waits for its window', () => {
  it('does not wait where its shard has ended: nothing more will come', async () => {
    const { batches, handler } = noting();
    const source = streamOf(ten);
    source.split();

    await new StreamPump({ source, handler, batchWindowMs: 5_000, nowMs: () => 0 }).pass(false);

    expect(batches).toHaveLength(1);
  });

  it('is delivered when the pump is told to end', async () => {
    const { batches, handler } = noting();
    const stop = new AbortController();
    const pump = new StreamPump({ source: streamOf(ten), handler, batchWindowMs: 5_000, nowMs: () => 0 });

    await pump.run(stop.signal, async () => stop.abort());

    expect(batches).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]);
  });
});

describe('attempts', () => {
  it('begin anew with each step forward: what is behind a record that failed has all of its own', async () => {
    const bad = [0, 1, 1, undefined];
    const { batches, handler } = noting((_, records) => {
      const first = bad.shift();
      return first === undefined ? undefined : failing(records, [first]);
    });

    const { messages } = await drained({
      source: streamOf(ten.slice(0, 3)),
      handler,
      bisectBatchOnFunctionError: false,
      maximumRetryAttempts: 1,
    });

    expect(messages).toEqual([]);
    expect(batches).toEqual([
      [0, 1, 2],
      [0, 1, 2],
      [1, 2],
      [1, 2],
    ]);
  });
});

describe('the options of a pump', () => {
  const { handler } = noting();

  it.each([
    [{ parallelizationFactor: 0 }, 'option "parallelizationFactor" must be a whole number from 1 to 10, got 0'],
    [{ parallelizationFactor: 11 }, 'from 1 to 10, got 11'],
    [{ batchSize: 0 }, 'option "batchSize"'],
    [{ batchWindowMs: -1 }, 'option "batchWindowMs"'],
    [{ maximumRetryAttempts: -1 }, 'option "maximumRetryAttempts"'],
    [{ timeoutMs: 0 }, 'option "timeoutMs"'],
    [{ reportBatchItemFailures: 'yes' }, 'option "reportBatchItemFailures" must be true or false'],
    [{ paralellizationFactor: 2 }, '"paralellizationFactor"'],
    [{ handler: undefined }, 'option "handler"'],
    [{ source: {} }, 'option "source"'],
  ])('are refused where they cannot work: %o', (options, text) => {
    expect(() => new StreamPump({ source: streamOf(ten), handler, ...options } as PumpOptions)).toThrow(text);
  });
});
