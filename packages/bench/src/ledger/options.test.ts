import { describe, expect, it } from 'vitest';
import { UsageError } from '../bench.js';
import { PROMISED, readLedgerOptions } from './options.js';

describe('the options of ledger', () => {
  it('are every scenario with its concurrency, at three latencies, on the engine, for both sides', () => {
    const { cells, repetitions, check, json, lag } = readLedgerOptions([]);

    expect({ repetitions, check, json, lag }).toMatchObject({ repetitions: 3, check: false, json: false, lag: { perSecond: 1_000 } });
    expect(cells[0]).toEqual({ scenario: 'folded-100', server: 'engine', latencyMs: 0, concurrency: 1, side: 'millrace' });
    const matrix = cells.filter(({ scenario, latencyMs, side }) => scenario === 'scattered-1000' && latencyMs === 20 && side === 'plugin');
    expect(matrix.map(({ concurrency }) => concurrency)).toEqual([10, 50, 100]);
  });

  it('choose cells', () => {
    expect(
      readLedgerOptions(['--scenario', 'roll-ups', '--server', 'stub', '--concurrency', '7', '--latency', '3', '--repetitions', '2']),
    ).toEqual({
      cells: [
        { scenario: 'roll-ups', server: 'stub', latencyMs: 3, concurrency: 7, side: 'millrace' },
        { scenario: 'roll-ups', server: 'stub', latencyMs: 3, concurrency: 7, side: 'plugin' },
      ],
      repetitions: 2,
      check: false,
      json: false,
    });
  });

  it('of a check are the cells of the promises, unless scenarios are named', () => {
    expect(readLedgerOptions(['--check'])).toMatchObject({ cells: PROMISED, repetitions: 9 });
    expect(readLedgerOptions(['--check', '--scenario', 'roll-ups', '--quick']).cells).toHaveLength(2);
  });

  it('have the lag where it is named, and where a check or all of it names no scenario, on an engine', () => {
    const secondsOf = (...args: readonly string[]) => readLedgerOptions(args).lag?.seconds;

    expect([[], ['--check'], ['--scenario', 'lag'], ['--scenario', 'roll-ups,lag']].map((args) => secondsOf(...args))).toEqual([
      15, 15, 15, 15,
    ]);
    expect([['--quick'], ['--server', 'stub'], ['--check', '--scenario', 'roll-ups']].map((args) => secondsOf(...args))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(secondsOf('--quick', '--scenario', 'lag')).toBe(2);
    expect(readLedgerOptions(['--scenario', 'lag']).cells).toEqual([]);
    expect(() => secondsOf('--scenario', 'lag', '--server', 'stub')).toThrow(UsageError);
  });

  it.each([
    ['--scenario', 'scattered'],
    ['--concurrency', '0'],
    ['--concurrency', '201'],
    ['--latency', '-1'],
    ['--server', 'cloud'],
    ['--engine', 'dynalite'],
    ['--repetitions', '0'],
    ['--fast', 'yes'],
  ])('refuse %s %j', (option, value) => {
    expect(() => readLedgerOptions([`${option}=${value}`])).toThrow(UsageError);
  });
});
