import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLine, lines, openCommandLine } from './command-line.js';

let here: CommandLine;
beforeAll(async () => {
  here = await openCommandLine();
});
afterAll(() => here.close());

/** The commands that do something, by asking help of each word for the words below it. */
async function commandsBelow(path: readonly string[]): Promise<readonly string[]> {
  const { out } = await here.millrace([...path, '--help']);
  const below = [...(out.split('\nCommands:\n')[1] ?? '').matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name]) => name ?? '');
  if (below.length === 0) return [path.join(' ')];
  const found = await Promise.all(below.filter((name) => name !== 'help').map((name) => commandsBelow([...path, name])));
  return found.flat();
}

describe('help', () => {
  it('has one example for each command, which begins with it', async () => {
    const commands = await commandsBelow([]);
    const helps = await Promise.all(commands.map((command) => here.millrace(`${command} --help`)));

    expect(commands.length).toBeGreaterThan(35);
    for (const [index, { code, out, err }] of helps.entries()) {
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out.match(/^ {2}\$ .*$/gm), commands[index]).toEqual([expect.stringContaining(`  $ millrace ${commands[index]}`)]);
    }
  });

  it('names the same commands as the README', async () => {
    const text = await readFile(new URL('../README.md', import.meta.url), 'utf8');
    const section = text.split('## Commands')[1]?.split('\n## ')[0] ?? '';
    const named = [...section.matchAll(/^\| `([a-z -]+)` \|/gm)].map(([, command]) => command);

    expect(named).toEqual(expect.arrayContaining([...(await commandsBelow([]))]));
    expect(named).toHaveLength((await commandsBelow([])).length);
  });

  it('tells what the exit codes mean', async () => {
    const { code, out } = await here.millrace('help exit-codes');

    expect(code).toBe(0);
    expect(out).toMatch(/^Exit codes:\n {4}0 {2}what was asked for was done\n/);
    expect((await here.millrace('--help')).out).toContain('Exit codes: millrace help exit-codes\n');
  });

  it('is quick and needs neither a table nor credentials', async () => {
    const nothing = {
      AWS_ACCESS_KEY_ID: undefined,
      AWS_REGION: undefined,
      MILLRACE_TABLE: undefined,
      AWS_ENDPOINT_URL_DYNAMODB: undefined,
    };

    expect(await here.millrace('entity --help', { env: nothing })).toMatchObject({ code: 0, err: '' });
    expect(await here.millrace('--version', { env: nothing })).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });
});

describe('a command line that cannot be read', () => {
  it.each([
    ['entitty list', "error: unknown command 'entitty'\n(Did you mean entity?)\nhint: see millrace --help\n"],
    ['entity lst', "error: unknown command 'lst'\n(Did you mean list?)\nhint: see millrace entity --help\n"],
    ['entity list --al', "error: unknown option '--al'\nhint: see millrace entity list --help\n"],
    ['entity show', "error: missing required argument 'entity'\nhint: see millrace entity show --help\n"],
    ['entity show a b', "error: too many arguments for 'show'. Expected 1 argument but got 2.\nhint: see millrace entity show --help\n"],
    ['entity list --table', "error: option '--table <name>' argument missing\nhint: see millrace --help\n"],
  ])('%j ends with 64 and says what is wrong', async (words, err) => {
    expect(await here.millrace(words)).toMatchObject({ code: 64, out: '', err });
  });

  it('shows help on stderr where a command is missing', async () => {
    for (const words of [[], ['entity'], ['resource', 'limits']]) {
      const { code, out, err } = await here.millrace(words);

      expect({ code, out }).toEqual({ code: 64, out: '' });
      expect(err).toMatch(new RegExp(`^Usage: ${['millrace', ...words].join(' ')} `));
    }
  });

  it('is one JSON document on stderr with --json, wherever that stands', async () => {
    for (const words of ['--json entity lst', 'entity lst --json', 'entity show --json', '--json', 'entity list --al --json']) {
      const { code, out, error } = await here.millrace(words);

      expect({ words, code, out, error: error.code }).toEqual({ words, code: 64, out: '', error: 'USAGE' });
    }
    expect((await here.millrace('entity show --json')).error.hint).toBe('see millrace entity show --help');
  });
});

describe('errors', () => {
  it('say what to do, without a stack trace unless MILLRACE_DEBUG is 1', async () => {
    const plain = await here.millrace('entity list -n prd');
    const debug = await here.millrace('entity list -n prd', { env: { MILLRACE_DEBUG: '1' } });

    expect(plain).toMatchObject({
      code: 1,
      out: '',
      err: lines(
        `error: table "${here.table}" has no namespace "prd"; register it, or check the name`,
        'hint: "millrace namespace list" shows those there are, "millrace namespace register" makes one',
      ),
    });
    expect(debug.err).toMatch(/\n\s+at /);
  });

  it('name the option or variable that is missing', async () => {
    expect(await here.millrace('entity list', { env: { MILLRACE_TABLE: '' } })).toMatchObject({
      code: 64,
      err: 'error: no table is named\nhint: give --table <name>, or set MILLRACE_TABLE\n',
    });
    expect(await here.millrace('entity list', { env: { AWS_REGION: '' } })).toMatchObject({
      code: 64,
      err: lines(
        'error: option "--region" must be given, or set by AWS_REGION or the profile in use',
        'hint: give --region <name>, or set AWS_REGION or AWS_PROFILE',
      ),
    });
    expect(await here.millrace('entity list --json', { env: { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' } })).toMatchObject({
      code: 1,
      error: { code: 'CREDENTIALS', hint: expect.stringContaining('AWS_PROFILE') },
    });
    expect(await here.millrace('entity list --table a', {})).toMatchObject({
      code: 64,
      err: expect.stringContaining('option "--table" must be'),
    });
  });

  it('come within some seconds where nothing answers', async () => {
    const { code, error } = await here.millrace('entity list --endpoint http://127.0.0.1:1 --json');

    expect({ code, error: error.code }).toEqual({ code: 1, error: 'UNAVAILABLE' });
    expect(error.message).toBe('nothing answered at 127.0.0.1:1 (connection refused)');
    expect(error.hint).toContain('"millrace doctor" says what answers and what does not');
  });
});

describe('options and environment', () => {
  it('may stand before or after the command; an option wins over its variable', async () => {
    await here.answer('namespace register acme');
    await here.answer('resource limits set only-here rpm:1/min -n acme');
    const env = { MILLRACE_NAMESPACE: 'acme', MILLRACE_TABLE: 'elsewhere' };

    for (const words of [`--table ${here.table} resource list`, `resource list --table ${here.table}`]) {
      expect(await here.answer(words, { env })).toMatchObject({ resources: [{ resource: 'only-here' }] });
      expect(await here.answer(`${words} --namespace default`, { env })).toEqual({ resources: [] });
    }
  });

  it('take the endpoint from the option and from the usual variables of AWS', async () => {
    const { endpoint } = here.engine;
    const none = { AWS_ENDPOINT_URL_DYNAMODB: undefined, AWS_ENDPOINT_URL: undefined };

    expect(await here.answer(`entity list --endpoint ${endpoint}`, { env: none })).toEqual({ entities: [] });
    expect(await here.answer('entity list', { env: { ...none, AWS_ENDPOINT_URL: endpoint } })).toEqual({ entities: [] });
    expect(await here.answer('entity list --region eu-west-1', { env: { AWS_REGION: undefined } })).toEqual({ entities: [] });
  });
});

describe('output', () => {
  it('never has colours where it is no terminal, and JSON has neither colours nor thousands apart', async () => {
    await here.answer('resource limits set big tpm:1000000/min');
    const table = await here.millrace('resource limits get big', { env: { FORCE_COLOR: '1', TERM: 'xterm-256color' } });
    const json = await here.millrace('resource limits get big --json');

    expect(table.out).toContain('1,000,000');
    expect(table.out).not.toContain('\u001b');
    expect(json.out).toContain('"refill": 1000000');
  });

  const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
  const ended = (child: ChildProcess) => new Promise((resolve) => child.once('close', resolve));

  it('ends quietly where the reader has enough, and its exit code still says what it found', async () => {
    const help = spawn(process.execPath, [main, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
    help.stdout.destroy();
    const said = text(help.stderr);
    const unread = spawn(process.execPath, [main, 'no-such-command'], { stdio: ['ignore', 'pipe', 'pipe'] });
    unread.stderr.destroy();
    // Nobody answers at port 1, so checks fail: that is an answer, on stdout.
    const nowhere = ['--table', 'none', '--region', 'eu-west-1', '--endpoint', 'http://127.0.0.1:1'];
    const env = { AWS_ACCESS_KEY_ID: 'none', AWS_SECRET_ACCESS_KEY: 'none', AWS_EC2_METADATA_DISABLED: 'true' };
    const doctor = spawn(process.execPath, [main, 'doctor', ...nowhere], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    doctor.stdout.destroy();
    const saidByDoctor = text(doctor.stderr);

    const codes = await Promise.all([help, unread, doctor].map(ended));
    expect(codes).toEqual([0, 64, 1]);
    expect([await said, await saidByDoctor]).toEqual(['', '']);
  });

  it.runIf(existsSync('/dev/full'))('says in words, and by its exit code, that there is no room for an answer', async () => {
    const full = await open('/dev/full', 'w');
    const outcomes = await Promise.all(
      [['--help'], ['help', 'exit-codes', '--json']].map(async (words) => {
        const child = spawn(process.execPath, [main, ...words], { stdio: ['ignore', full.fd, 'pipe'] });
        const [code, said] = await Promise.all([ended(child), text(child.stderr as Readable)]);
        return { code, said };
      }),
    );
    await full.close();

    expect(outcomes[0]).toEqual({ code: 1, said: expect.stringMatching(/^error: cannot write the answer: ENOSPC.*\n$/) });
    expect(outcomes[1]?.code).toBe(1);
    expect(JSON.parse(outcomes[1]?.said ?? '')).toEqual({
      error: { code: 'OUTPUT', message: expect.stringContaining('cannot write the answer: ENOSPC') },
    });
  });
});
