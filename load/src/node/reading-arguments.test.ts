import { describe, expect, it } from 'vitest';
import { UsageError } from './flags.js';
import { compareCommand, connectCommand, reportCommand, runsCommand, stopCommand, tuneCommand } from './reading-arguments.js';

describe('the arguments', () => {
  it('of report name one run and one form', () => {
    expect(reportCommand(['latest'])).toEqual({ run: 'latest', format: 'terminal' });
    expect(reportCommand(['simple-1', '--html', '--results', 'elsewhere'])).toEqual({
      run: 'simple-1',
      format: 'html',
      results: 'elsewhere',
    });
  });

  it('of tune are those of a run that say where and what, and how far is looked', () => {
    const { run, bounds, format } = tuneCommand(['hot-key', '--cascade', '--max-users', '100', '--threshold', '0.9', '--markdown']);

    expect(run).toMatchObject({ place: 'local', cascade: true, dashboard: false });
    expect(run).not.toHaveProperty('perSecond');
    expect(bounds).toEqual({ maxUsers: 100, threshold: 0.9, stepMs: 30_000, baselineMs: 60_000, mostSteps: 8 });
    expect(format).toBe('markdown');
    expect(tuneCommand(['simple', '--mode', 'lambda', '--stack', 'Rig']).run).toMatchObject({
      place: 'lambda',
      workforce: { workers: 1 },
      stack: 'Rig',
    });
  });

  it('of connect are those of the run that it may start, on one task whose dashboard is on', () => {
    expect(connectCommand(['--stack', 'Rig'])).toMatchObject({
      stack: 'Rig',
      port: 5_665,
      force: false,
      destroy: false,
      run: { place: 'fargate', workforce: { workers: 1 }, stack: 'Rig', livePort: 5_665, scenario: { name: 'simple' } },
    });
    expect(connectCommand(['max-rps', '--stack', 'Rig', '--port', '9000', '--vus', '30', '--force'])).toMatchObject({
      port: 9_000,
      force: true,
      run: { users: 30, scenario: { name: 'max-rps' } },
    });
  });

  it('of stop name a run, or all', () => {
    expect(stopCommand(['simple-1'])).toEqual({ run: 'simple-1' });
    expect(stopCommand(['--all', '--stack', 'Rig'])).toEqual({ stack: 'Rig' });
  });

  it.each([
    [reportCommand, [], 'name a run'],
    [reportCommand, ['a', 'b'], '"compare" takes several'],
    [reportCommand, ['a', '--json', '--html'], 'one format at a time'],
    [compareCommand, ['a'], 'name 2 to 20 runs'],
    [compareCommand, ['a', 'b', '--html'], "Unknown option '--html'"],
    [runsCommand, ['a'], '"report" shows one'],
    [runsCommand, ['--limit', '0'], '--limit must be a whole number from 1 to 1000'],
    [stopCommand, [], 'name a run, or give --all'],
    [stopCommand, ['a', '--all'], '--all is every run'],
    [tuneCommand, ['simple', '--vus', '3'], 'leave --vus out'],
    [tuneCommand, ['simple', '--mode', 'distributed'], 'tune measures one worker'],
    [tuneCommand, ['simple', '--threshold', '2'], '--threshold must be a number from 0.05 to 1'],
    [connectCommand, ['simple'], 'name its stack with --stack'],
    [connectCommand, ['--stack', 'Rig', '--force', '--destroy'], 'give one of the two'],
    [connectCommand, ['--stack', 'Rig', '--mode', 'lambda'], 'leave --mode out'],
    [tuneCommand, ['simple', '--mode', 'lambda', '--stack', 'Rig', '--users-per-worker', '5'], 'leave --users-per-worker out'],
    [connectCommand, ['--stack', 'Rig', '--users-per-worker', '5'], 'leave --users-per-worker out'],
    [connectCommand, ['simpel', '--stack', 'Rig'], 'there is no scenario "simpel"'],
  ])('that can never work are refused (%#)', (read, args, message) => {
    expect(() => read(args)).toThrowError(UsageError);
    expect(() => read(args)).toThrowError(message);
  });
});
