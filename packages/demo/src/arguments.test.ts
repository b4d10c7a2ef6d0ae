import { describe, expect, it } from 'vitest';
import { parseArguments } from './arguments.js';

describe('the command line', () => {
  it('runs for 20 seconds and prints a table unless it is told otherwise', () => {
    expect(parseArguments([])).toEqual({ kind: 'run', seconds: 20, json: false });
    expect(parseArguments(['--seconds', '5', '--json'])).toEqual({ kind: 'run', seconds: 5, json: true });
    expect(parseArguments(['--', '--seconds=5'])).toEqual({ kind: 'run', seconds: 5, json: false });
  });

  it('helps', () => {
    expect(parseArguments(['-h'])).toEqual({ kind: 'help' });
    expect(parseArguments(['--seconds', '5', '--help'])).toEqual({ kind: 'help' });
  });

  it.each([['--fast'], ['-x'], ['now'], ['--json=yes'], ['--seconds']])('does not know what to do with %s', (argument) => {
    expect(parseArguments([argument])).toEqual({ kind: 'wrong', message: expect.stringContaining(argument.split('=')[0] ?? '') });
  });

  it.each(['0', '121', '1.5', '-1', 'soon', ''])('refuses to run for "%s" seconds', (seconds) => {
    expect(parseArguments([`--seconds=${seconds}`])).toMatchObject({ kind: 'wrong' });
  });
});
