import { readFile, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { assetsCommand, runCommand } from '../src/node/arguments.js';
import { compareCommand, connectCommand, reportCommand, runsCommand, stopCommand, tuneCommand } from '../src/node/reading-arguments.js';

const ENV = { K6_CLOUD_TOKEN: 'token-of-grafana', MILLRACE_GATEWAY_TOKEN: 'a-token-of-the-gateway' };

/** What reads the arguments of each command. */
const READERS: Readonly<Record<string, (args: readonly string[]) => unknown>> = {
  run: (args) => runCommand(args, ENV),
  local: (args) => runCommand([...args, '--mode', 'local']),
  list: () => undefined,
  bench: () => undefined,
  runs: runsCommand,
  report: reportCommand,
  compare: compareCommand,
  tune: tuneCommand,
  connect: connectCommand,
  stop: stopCommand,
  assets: assetsCommand,
};

describe.each(['../../docs/load-testing.md', '../README.md'])('the commands of %s', (document) => {
  it('can be typed as they stand', async () => {
    const text = await readFile(fileURLToPath(new URL(document, import.meta.url)), 'utf8');
    const blocks = [...text.matchAll(/^```(?:sh)?\n(.*?)^```/gms)].map(([, block]) => block ?? '');
    // What is told of a command stands two blanks behind it.
    const lines = blocks.flatMap((block) => [...block.matchAll(/^pnpm load (.*?)(?: {2}.*)?$/gm)].map(([, line]) => line ?? ''));

    expect(lines.length).toBeGreaterThan(5);
    for (const line of lines) {
      const [name = '', ...args] = line.split(' ');
      expect(READERS, line).toHaveProperty(name);
      expect(() => READERS[name]?.(args), line).not.toThrow();
    }
  });
});

describe('the command of the package', () => {
  it('is a file of the repository, which can be linked before anything is built, and is packed', async () => {
    const url = new URL('../package.json', import.meta.url);
    const { bin, files } = JSON.parse(await readFile(fileURLToPath(url), 'utf8'));
    const file = fileURLToPath(new URL(bin['millrace-load'], url));

    expect(files).toContain(bin['millrace-load'].slice('./'.length));
    expect(bin['millrace-load']).not.toContain('dist');
    expect(await readFile(file, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect((await stat(file)).mode & 0o111).not.toBe(0);
  });
});
