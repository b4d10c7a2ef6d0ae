import { describe, expect, it } from 'vitest';
import { UsageError } from '../bench.js';
import { readPublishedOptions } from '../published/published-bench.js';
import { PROMISED, readAcquireOptions } from './options.js';

describe('the options of acquire', () => {
  it('are every case, at all callers and round trips, unless said otherwise', () => {
    const { cells, contestants, server, pace, json, check } = readAcquireOptions([]);

    expect(cells).toHaveLength(4 * 4 * 2);
    expect(cells[0]).toEqual({ caseName: 'distinct', callers: 1, roundTripMs: 0 });
    expect(contestants).toHaveLength(5);
    expect({ server, pace, json, check }).toEqual({
      server: 'engine',
      pace: { seconds: 0.5, warmupSeconds: 5, repetitions: 3 },
      json: false,
      check: false,
    });
  });

  it('choose cells', () => {
    expect(readAcquireOptions(['--case', 'hot,cascade', '--callers', '2', '--round-trip', '7']).cells).toEqual([
      { caseName: 'hot', callers: 2, roundTripMs: 7 },
      { caseName: 'cascade', callers: 2, roundTripMs: 7 },
    ]);
  });

  it('of a check are the cells of the promises, unless cases are named', () => {
    expect(readAcquireOptions(['--check']).cells).toBe(PROMISED);
    expect(readAcquireOptions(['--check', '--case', 'hot', '--quick']).cells).toHaveLength(4);
  });

  it.each([
    ['--case', 'lukewarm'],
    ['--callers', '0'],
    ['--callers', '1,x'],
    ['--callers', ''],
    ['--round-trip', '-1'],
    ['--contestants', 'redis'],
    ['--server', 'cloud'],
    ['--engine', 'dynalite'],
    ['--seconds', 'NaN'],
    ['--seconds', ' '],
    ['--repetitions', '0'],
    ['--warmup', '-1'],
    ['--fast', 'yes'],
  ])('refuse %s %j', (option, value) => {
    expect(() => readAcquireOptions([`${option}=${value}`])).toThrow(UsageError);
  });

  it('refuse what belongs to no option', () => {
    expect(() => readAcquireOptions(['hot'])).toThrow(UsageError);
  });
});

describe('the options of latency and throughput', () => {
  it('are two round trips, and none added where it must be quick', () => {
    expect(readPublishedOptions([]).roundTripsMs).toEqual([0, 5]);
    expect(readPublishedOptions(['--quick']).roundTripsMs).toEqual([0]);
  });

  it('need two callers at least for what is called concurrent', () => {
    expect(() => readPublishedOptions(['--callers', '1'])).toThrow(UsageError);
  });
});
