import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { run } from './program.js';

/** A terminal, or a pipe, that keeps what is written to it. */
function terminal(isTTY: boolean, env: NodeJS.ProcessEnv = {}) {
  const [out, err]: [string[], string[]] = [[], []];
  return {
    out: { isTTY, write: (text: string) => out.push(text) },
    err: { isTTY, write: (text: string) => err.push(text) },
    in: Object.assign(Readable.from([]), { isTTY }),
    env,
    written: { out, err },
  };
}

const RED = '\u001b[31m';

describe('a command line', () => {
  it('shows errors in colours on a terminal, unless somebody says no', async () => {
    const words = ['entity', 'list'];
    const [coloured, noColor, option, pipe] = [terminal(true), terminal(true, { NO_COLOR: '1' }), terminal(true), terminal(false)];

    await run(words, coloured);
    await run(words, noColor);
    await run([...words, '--no-color'], option);
    await run(words, pipe);

    expect(coloured.written.err.join('')).toContain(`${RED}error:`);
    for (const plain of [noColor, option, pipe]) {
      expect(plain.written.err.join('')).toBe('error: no table is named\nhint: give --table <name>, or set MILLRACE_TABLE\n');
    }
  });

  it('takes what stands behind -- for arguments, also where it looks like an option', async () => {
    const here = terminal(false);

    expect(await run(['entity', 'list', '--', '--json'], here)).toBe(64);
    expect(here.written.err.join('')).toContain("error: too many arguments for 'list'");
  });

  it('ends with 64 where nobody can be asked, before anything is loaded or sent', async () => {
    const here = terminal(false, { MILLRACE_TABLE: 'millrace' });

    expect(await run(['entity', 'delete', 'key-1'], here)).toBe(64);
    expect(here.written).toEqual({ out: [], err: [expect.stringContaining('add --yes')] });
  });

  it('changes nothing where the terminal is closed instead of an answer', async () => {
    const here = terminal(true, { MILLRACE_TABLE: 'millrace', NO_COLOR: '1' });

    expect(await run(['entity', 'delete', 'key-1'], here)).toBe(1);
    expect(here.written.err.join('')).toContain('error: not confirmed; nothing was changed\n');
  });
});
