import { describe, expect, it } from 'vitest';
import { type Bench, UsageError } from './bench.js';
import { runProgram } from './program.js';

const bench: Bench = {
  name: 'speed',
  summary: 'how fast it is',
  usage: 'Usage: speed\n',
  async run([first]) {
    if (first === '--wrong') throw new UsageError('no such option');
    if (first === '--broken') throw new Error('the engine died');
    return first === '--missed' ? 1 : 0;
  },
};

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runProgram([bench], args, {
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
    env: {},
  });
  return { code, out: out.join(''), err: err.join('') };
}

describe('the program', () => {
  it.each([
    [['speed'], 0],
    [['--', 'speed'], 0],
    [['speed', '--missed'], 1],
    [['speed', '--wrong'], 2],
    [['slow'], 2],
    [[], 2],
    [['--help'], 0],
    [['speed', '--help'], 0],
  ])('with %j exits with %d', async (args, code) => {
    expect((await run(...args)).code).toBe(code);
  });

  it('lists its benches, and says the usage of one', async () => {
    expect((await run('--help')).out).toContain('speed  how fast it is');
    expect((await run('speed', '-h')).out).toBe('Usage: speed\n');
  });

  it('says on stderr what is wrong, with the usage', async () => {
    const { out, err } = await run('speed', '--wrong');

    expect([out, err]).toEqual(['', 'bench speed: no such option\n\nUsage: speed\n']);
  });

  it('passes on what broke', async () => {
    await expect(run('speed', '--broken')).rejects.toThrow('the engine died');
  });
});
