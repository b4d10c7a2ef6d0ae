import { describe, expect, it } from 'vitest';
import { runCommand } from './arguments.js';
import { UsageError } from './flags.js';

describe('the arguments of a run', () => {
  it('are those of the scenario where none are given', () => {
    expect(runCommand(['hot-key'])).toMatchObject({
      place: 'local',
      workforce: { workers: 1 },
      via: 'direct',
      users: 50,
      perSecond: 300,
      durationMs: 30_000,
      cascade: false,
      callers: 1,
      dashboard: true,
      json: false,
    });
    expect(runCommand(['simple'])).not.toHaveProperty('perSecond');
  });

  it('name users, or a rate, which are two models', () => {
    expect(runCommand(['hot-key', '--vus', '7'])).not.toHaveProperty('perSecond');
    expect(runCommand(['simple', '--rate', '0.5'])).toMatchObject({ users: 20, perSecond: 0.5 });
    expect(runCommand(['simple', '--rate', '100', '--vus', '7'])).toMatchObject({ users: 7, perSecond: 100 });
  });

  it('name where the load is made, and by how many', () => {
    expect(runCommand(['simple', '--mode', 'distributed'])).toMatchObject({ place: 'distributed', workforce: { workers: 2 } });
    expect(runCommand(['simple', '--mode', 'lambda', '--stack', 'Rig', '--workers', '8'])).toMatchObject({
      place: 'lambda',
      workforce: { workers: 8 },
      stack: 'Rig',
    });
  });

  it('know the shapes and callers of a scenario', () => {
    expect(runCommand(['llm-production'])).toMatchObject({ shape: 'daily', callers: 1 });
    expect(runCommand(['llm-production', '--shape', 'morning-spike'])).toMatchObject({ shape: 'morning-spike' });
    expect(runCommand(['simple'])).not.toHaveProperty('shape');
    expect(runCommand(['contention'])).toMatchObject({ callers: 8, ledger: true });
    expect(runCommand(['contention', '--callers', '2', '--no-ledger'])).toMatchObject({ callers: 2, ledger: false });
  });

  it.each([
    ['1500ms', 1_500],
    ['2s', 2_000],
    ['1.5m', 90_000],
    ['2h', 7_200_000],
  ])('understand %s', (text, ms) => {
    expect(runCommand(['simple', '--duration', text]).durationMs).toBe(ms);
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
    [['simple', '--via', 'proxy'], '--via must be one of direct, gateway'],
    [['simple', '--mode', 'moon'], '--mode must be one of local, distributed, lambda, fargate, cloud'],
    [['simple', '--workers', '3'], '--mode local is one k6'],
    [['simple', '--mode', 'distributed', '--workers', '1001'], '--workers must be a whole number from 1 to 1000'],
    [['simple', '--mode', 'lambda'], 'name its stack with --stack'],
    [['simple', '--mode', 'distributed', '--stack', 'Rig'], '--stack is for --mode lambda and fargate'],
    [['simple', '--mode', 'fargate', '--stack', 'Rig', '--endpoint', 'http://127.0.0.1:8000'], 'leave --endpoint and --engine out'],
    [['simple', '--mode', 'lambda', '--stack', 'Rig', '--via', 'gateway'], 'cannot be reached from there'],
    [['simple', '--port', '9000'], 'add --live'],
    [['simple', '--mode', 'lambda', '--stack', 'Rig', '--live'], '--live is for --mode local and fargate'],
    [['simple', '--gateway', 'https://gateway.example.org'], '--gateway is for --mode cloud, got --mode local'],
    [['simple', '--engine', 'dynalite'], '--engine must be one of'],
    [['simple', '--endpoint', 'localhost:8000'], '--endpoint must be a URL'],
    [['simple', '--shape', 'daily'], 'scenario "simple" has no shapes'],
    [['llm-production', '--shape', 'weekly'], '--shape must be one of daily, morning-spike'],
    [['simple', '--users', '3'], "Unknown option '--users'"],
  ])('%j are refused: %s', (args, message) => {
    expect(() => runCommand(args)).toThrowError(UsageError);
    expect(() => runCommand(args)).toThrowError(message);
  });
});
