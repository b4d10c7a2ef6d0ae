import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { command, type Ended, ROOT } from './command-line.js';

/** An app of stacks in which every prop of every construct is set. A test of the package has cdk-nag judge it, too. */
const EVERY_PROP = 'packages/cdk/test/every-prop-program.ts';
const NAMESPACE = ['-c', 'namespaceIds=0123456789ab'] as const;
const APPS = [
  { name: 'infra, stage dev', folderName: 'dev', options: ['-c', 'stage=dev', ...NAMESPACE], stacks: 2, policies: 10 },
  { name: 'infra, stage prod', folderName: 'prod', options: ['-c', 'stage=prod', ...NAMESPACE], stacks: 2, policies: 10 },
  { name: 'every prop', folderName: 'every-prop', options: ['--app', `node_modules/.bin/tsx ${EVERY_PROP}`], stacks: 5, policies: 20 },
] as const;

describe('a synthesised app', () => {
  let folder: string;
  /** Whatever starts a bundler fails. A path where there is nothing would not do: esbuild passes over it. */
  let noBundler: Readonly<Record<string, string>>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-synth-'));
    const broken = join(folder, 'bundler');
    await writeFile(broken, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    noBundler = { ESBUILD_BINARY_PATH: broken, CDK_DOCKER: broken };
  });
  afterAll(() => rm(folder, { recursive: true }));

  const synth = (name: string, options: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Ended> => {
    const strictly = ['synth', '--strict', '--quiet', '--no-notices', '--output', join(folder, name)];
    return command('node_modules/.bin/cdk', [...strictly, ...options], more);
  };
  const templates = async (name: string): Promise<readonly string[]> =>
    (await readdir(join(folder, name))).filter((file) => file.endsWith('.template.json')).map((file) => join(folder, name, file));
  const contents = async (name: string): Promise<readonly string[]> => {
    const files = (await readdir(join(folder, name))).filter((file) => /[.](template|assets)[.]json$|^asset[.]/.test(file)).sort();
    const texts = files.map(async (file) =>
      file.startsWith('asset.') ? file : `${file}\n${await readFile(join(folder, name, file), 'utf8')}`,
    );
    return Promise.all(texts);
  };

  describe.each(APPS)('$name', ({ folderName, options, stacks, policies }) => {
    it('is clean by the rules of the CDK', async () => {
      const { code, said } = await synth(folderName, options);

      expect(said).not.toMatch(/\[(Error|Warning) at/i);
      expect(code).toBe(0);
      expect(await templates(folderName)).toHaveLength(stacks);
    });

    it('is clean by the rules of cfn-lint', async () => {
      // W3005: the CDK also says of what a resource depends where a reference says it already.
      const checked = ['--regions', 'us-east-1', '--ignore-checks', 'W3005', '--', ...(await templates(folderName))];

      expect(await command(join(dirname(pythonOfEmulator()), 'cfn-lint'), checked)).toEqual({ code: 0, said: '' });
    });

    it('holds policies whose actions are actions, on resources that they fit', async () => {
      const ended = await command(pythonOfEmulator(), [join(ROOT, 'infra/emulator/lint_policies.py'), ...(await templates(folderName))]);

      expect(ended).toEqual({ code: 0, said: expect.stringMatching(/^\d+ policies, 0 findings\n$/) });
      expect(Number.parseInt(ended.said, 10)).toBeGreaterThan(policies);
    });
  });

  it('takes no bundler, and is the same the second time, to the hashes of its assets', async () => {
    const unvalidated = { CDK_VALIDATION: 'false' };
    expect(await synth('again', APPS[0].options, { ...unvalidated, ...noBundler })).toMatchObject({ code: 0 });
    // One that does take a bundler, as a TypeScript app that nobody has compiled: its cache must be empty, too.
    const bundled = await synth('bundled', APPS[2].options, { ...unvalidated, ...noBundler, TMPDIR: folder });

    expect(bundled.code).not.toBe(0);
    expect(await contents('again')).toEqual(await contents('dev'));
    expect((await contents('again')).filter((file) => file.startsWith('asset.'))).toHaveLength(2);
  });
});

function pythonOfEmulator(): string {
  const python = process.env['EMULATOR_PYTHON'];
  if (python === undefined) throw new Error('the linters come with the emulator: run pnpm test:deploy');
  return python;
}
