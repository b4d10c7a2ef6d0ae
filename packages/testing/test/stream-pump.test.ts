import { type LambdaStreamRecord, MemoryStream, PumpCrash, type StreamHandler, StreamPump } from '@millrace/testing';
import { describe, expect, it } from 'vitest';
import { drained, failing, keyOf, noting, numberOf, streamOf, ten } from './pump-world.js';

describe('the pump', () => {
  it('delivers every record once, in order, in batches of the size that it is told', async () => {
    const { batches, handler } = noting();

    await drained({ source: streamOf(ten), handler, batchSize: 4 });

    expect(batches).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
      [8, 9],
    ]);
  });

  it('delivers every record of a long stream once, wherever its batches end, and can tell any two of them apart', async () => {
    for (let size = 1; size <= 125; size += 1) {
      const { batches, handler } = noting();
      const source = streamOf(Array.from({ length: size }, () => 'item'));
      // A pump that goes round in circles is ended, not waited for.
      const bounded: StreamHandler = (event, context) => {
        if (batches.flat().length > 2 * size) throw new Error('the pump goes round in circles');
        return handler(event, context);
      };
      const pump = new StreamPump({ source, handler: bounded, batchSize: 7, maximumRetryAttempts: 0 });
      for (let pass = 0; pass < 2 * size + 2; pass += 1) await pump.pass(true);

      expect(batches.flat()).toEqual(Array.from({ length: size }, (_, index) => index));
    }
  });

  it('hands a record over as Lambda does: the time in whole seconds, expiry by the service', async () => {
    const stream = new MemoryStream();
    stream.append({ oldImage: { PK: { S: 'a' }, SK: { S: 'x' } }, atMs: 1_700_000_000_999, isExpiry: true });
    const seen: LambdaStreamRecord[] = [];

    await drained({ source: stream, handler: async ({ Records }) => void seen.push(...Records) });

    expect(seen).toMatchObject([
      {
        eventName: 'REMOVE',
        userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' },
        dynamodb: { ApproximateCreationDateTime: 1_700_000_000, Keys: { PK: { S: 'a' }, SK: { S: 'x' } } },
      },
    ]);
  });

  it('sends again from the first failure on, and only from there', async () => {
    let isFirst = true;
    const { batches, handler } = noting((_, records) => {
      const answer = isFirst ? failing(records, [6, 3]) : undefined;
      isFirst = false;
      return answer;
    });

    await drained({ source: streamOf(ten), handler });

    expect(batches).toEqual([
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
      [3, 4, 5, 6, 7, 8, 9],
    ]);
  });

  it('gives up a record that always fails alone, and delivers all behind it', async () => {
    const { batches, handler } = noting((_, records) => failing(records, [3]));

    const { messages } = await drained({ source: streamOf(ten), handler, maximumRetryAttempts: 2 });

    expect(messages.map(({ DDBStreamBatchInfo: info }) => [info.startSequenceNumber, info.batchSize])).toEqual([
      ['100000000000000000004', 1],
    ]);
    const alone = batches.filter((numbers) => numbers.length === 1 && numbers[0] === 3);
    expect(alone).toHaveLength(3);
    expect(new Set(batches.flat())).toEqual(new Set(ten.keys()));
  });

  it('halves a batch that throws until what is at fault is alone, and delivers both halves of each', async () => {
    const { batches, handler } = noting((numbers) => {
      if (numbers.includes(3)) throw new Error('no');
    });

    const { messages } = await drained({ source: streamOf(ten), handler, maximumRetryAttempts: 0 });

    expect(batches).toEqual([[...ten.keys()], [0, 1, 2, 3, 4], [0, 1, 2], [3, 4], [3], [4], [5, 6, 7, 8, 9]]);
    expect(messages.map(({ DDBStreamBatchInfo: info }) => info.batchSize)).toEqual([1]);
  });

  it('gives up a whole batch that fails where it may not halve it, as Lambda does', async () => {
    const { handler } = noting((numbers) => {
      if (numbers.includes(2)) throw new Error('no');
    });

    const { messages } = await drained({
      source: streamOf(ten),
      handler,
      batchSize: 5,
      bisectBatchOnFunctionError: false,
      maximumRetryAttempts: 1,
    });

    expect(messages.map(({ DDBStreamBatchInfo: info }) => info.batchSize)).toEqual([5]);
  });

  it('takes the whole batch for failed where the function names a record that is none of it', async () => {
    let isFirst = true;
    const { batches, handler } = noting(() => {
      const answer = isFirst ? { batchItemFailures: [{ itemIdentifier: '' }] } : undefined;
      isFirst = false;
      return answer;
    });

    await drained({ source: streamOf(ten.slice(0, 2)), handler, bisectBatchOnFunctionError: false });

    expect(batches).toEqual([
      [0, 1],
      [0, 1],
    ]);
  });

  it('looks at no list of failures where it is not told to, which is how records get lost', async () => {
    const { batches, handler } = noting((_, records) => failing(records, [1]));

    await drained({ source: streamOf(ten.slice(0, 3)), handler, reportBatchItemFailures: false });

    expect(batches).toEqual([[0, 1, 2]]);
  });

  it.each([1, 2, 4, 10])('keeps the order of each item at a factor of %i', async (parallelizationFactor) => {
    const keys = Array.from({ length: 300 }, (_, index) => `item-${index % 7}`);
    const seen = new Map<string, number[]>();
    const sizes: number[] = [];
    const handler: StreamHandler = async ({ Records: records }) => {
      sizes.push(records.length);
      for (const record of records) {
        await Promise.resolve();
        seen.set(keyOf(record), [...(seen.get(keyOf(record)) ?? []), numberOf(record)]);
      }
      return undefined;
    };

    await drained({ source: streamOf(keys, 3), handler, batchSize: 10, parallelizationFactor });

    expect([...seen.values()].flat()).toHaveLength(300);
    for (const numbers of seen.values()) expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(Math.max(...sizes)).toBe(10);
  });

  it('reads a shard only when its parent is read to its end', async () => {
    const stream = streamOf(['a', 'b', 'a']);
    stream.split();
    for (let index = 3; index < 6; index += 1)
      stream.append({ newImage: { PK: { S: 'a' }, SK: { S: 'x' }, n: { N: String(index) } }, atMs: 0 });
    const { batches, handler } = noting();

    await drained({ source: stream, handler, batchSize: 2 });

    expect(batches.flat()).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('goes on behind shards that ended without a record, however many follow each other', async () => {
    const stream = new MemoryStream();
    for (let turn = 0; turn < 3; turn += 1) stream.split();
    stream.append({ newImage: { PK: { S: 'a' }, SK: { S: 'x' }, n: { N: '0' } }, atMs: 0 });
    const { batches, handler } = noting();

    await drained({ source: stream, handler });

    expect(batches).toEqual([[0]]);
  });

  it('does not take one read that finds nothing for the end of what there is, as a stream may answer so at any time', async () => {
    const stream = streamOf(ten);
    const { batches, handler } = noting();
    let reads = 0;
    const read: typeof stream.read = async (shard, after, limit) => {
      reads += 1;
      return reads % 2 === 1 ? { records: [], isEnd: false } : stream.read(shard, after, limit);
    };

    await drained({ source: { shards: () => stream.shards(), read }, handler, batchSize: 5 });

    expect(batches.flat()).toEqual([...ten.keys()]);
  });

  it('waits for a batch to fill until its window is over, and no longer', async () => {
    const { batches, handler } = noting();
    let nowMs = 0;
    const pump = new StreamPump({ source: streamOf(ten), handler, batchSize: 100, batchWindowMs: 5_000, nowMs: () => nowMs });

    await pump.pass(false);
    nowMs = 4_999;
    await pump.pass(false);
    expect(batches).toEqual([]);
    nowMs = 5_000;
    await pump.pass(false);

    expect(batches).toHaveLength(1);
  });
});

describe('a pump that dies', () => {
  it.each(['before', 'after'] as const)('%s an invocation leaves the batch to the next one', async (moment) => {
    const { batches, handler } = noting();
    const source = streamOf(ten);
    let left = 2;
    const dies = (now: string): boolean => now === moment && --left === 0;
    const first = new StreamPump({ source, handler, batchSize: 4, dies });

    await expect(first.drain()).rejects.toThrow(PumpCrash);
    await new StreamPump({ source, handler, batchSize: 4, checkpoints: first.checkpoints }).drain();

    expect(batches).toEqual([[0, 1, 2, 3], ...(moment === 'after' ? [[4, 5, 6, 7]] : []), [4, 5, 6, 7], [8, 9]]);
  });

  it('loses nothing, and repeats at most what was under way, wherever it dies', async () => {
    const source = streamOf(
      Array.from({ length: 200 }, (_, index) => `item-${index % 11}`),
      4,
    );
    const { batches, handler } = noting();
    const checkpoints = new Map();
    let [beat, deaths] = [0, 0];
    for (let isOver = false; !isOver; ) {
      const pump = new StreamPump({ source, handler, batchSize: 7, parallelizationFactor: 2, checkpoints, dies: () => ++beat % 5 === 0 });
      isOver = await pump.drain().then(
        () => true,
        (error: unknown) => {
          if (!(error instanceof PumpCrash)) throw error;
          deaths += 1;
          return false;
        },
      );
    }

    expect(deaths).toBeGreaterThan(3);
    expect(new Set(batches.flat()).size).toBe(200);
  });
});
