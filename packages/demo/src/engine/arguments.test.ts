import { describe, expect, it } from 'vitest';
import { parseEngineArguments } from './arguments.js';

describe('the command line of the engine', () => {
  it('means port 8000 and the table millrace unless it says otherwise', () => {
    expect(parseEngineArguments([])).toEqual({ kind: 'run', port: 8_000, table: 'millrace' });
    expect(parseEngineArguments(['--', '--port', '0', '--table=a.b'])).toEqual({ kind: 'run', port: 0, table: 'a.b' });
    expect(parseEngineArguments(['--port', '1', '--help'])).toEqual({ kind: 'help' });
  });

  it.each([['--nope'], ['now'], ['--port'], ['--port=65536'], ['--port=http'], ['--port=-1'], ['--table=ab'], ['--table=a b c']])(
    'does not know what to do with %s',
    (argument) => {
      expect(parseEngineArguments([argument])).toEqual({ kind: 'wrong', message: expect.stringContaining(argument.split('=')[0] ?? '') });
    },
  );
});
