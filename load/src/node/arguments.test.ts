import { describe, expect, it } from 'vitest';
import { localCommand, UsageError } from './arguments.js';

describe('the arguments of a local run', () => {
  it('are those of the scenario where none are given', () => {
    expect(localCommand(['hot-key'])).toMatchObject({
      mode: 'direct',
      users: 50,
      perSecond: 300,
      durationMs: 30_000,
      cascade: false,
      callers: 1,
      dashboard: true,
      json: false,
    });
    expect(localCommand(['simple'])).not.toHaveProperty('perSecond');
  });

  it('name users, or a rate, which are two models', () => {
    expect(localCommand(['hot-key', '--vus', '7'])).not.toHaveProperty('perSecond');
    expect(localCommand(['simple', '--rate', '0.5'])).toMatchObject({ users: 20, perSecond: 0.5 });
    expect(localCommand(['simple', '--rate', '100', '--vus', '7'])).toMatchObject({ users: 7, perSecond: 100 });
  });

  it.each([
    ['1500ms', 1_500],
    ['2s', 2_000],
    ['1.5m', 90_000],
    ['2h', 7_200_000],
  ])('understand %s', (text, ms) => {
    expect(localCommand(['simple', '--duration', text]).durationMs).toBe(ms);
  });

  it.each([
    [[], 'name a scenario'],
    [['simpel'], 'there is no scenario "simpel"; there are simple'],
    [['simple', 'hot-key'], 'one scenario at a time'],
    [['simple', '--vus', '0'], '--vus must be a whole number'],
    [['simple', '--vus', '1e3'], '--vus must be a whole number'],
    [['simple', '--rate', 'fast'], '--rate must be a number'],
    [['simple', '--rate', '-1'], '--rate'],
    [['simple', '--duration', '10'], '--duration must be a time'],
    [['simple', '--duration', '0s'], '--duration must be a time'],
    [['simple', '--mode', 'cloud'], '--mode must be one of direct, gateway'],
    [['simple', '--engine', 'dynalite'], '--engine must be one of'],
    [['simple', '--endpoint', 'localhost:8000'], '--endpoint must be a URL'],
    [['simple', '--users', '3'], "Unknown option '--users'"],
  ])('%j are refused: %s', (args, message) => {
    expect(() => localCommand(args)).toThrowError(UsageError);
    expect(() => localCommand(args)).toThrowError(message);
  });
});
