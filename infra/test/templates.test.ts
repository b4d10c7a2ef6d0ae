import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { command, type Ended, ROOT } from './command-line.js';

/** No program by this name: whatever starts a bundler fails. */
const NO_BUNDLER = { ESBUILD_BINARY_PATH: '/nonexistent', CDK_DOCKER: '/nonexistent' };
const STAGES = ['dev', 'prod'] as const;

describe('the synthesised app', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-synth-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const synth = (stage: string, name: string, more: Readonly<Record<string, string>> = {}): Promise<Ended> => {
    const options = ['synth', '--strict', '--quiet', '--no-notices', '-c', `stage=${stage}`, '-c', 'namespaceIds=0123456789ab'];
    return command('node_modules/.bin/cdk', [...options, '--output', join(folder, name)], { ...NO_BUNDLER, ...more });
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

  describe.each(STAGES)('for stage %s', (stage) => {
    it('is clean by the rules of the CDK, with no bundler', async () => {
      const { code, said } = await synth(stage, stage);

      expect(said).not.toMatch(/\[(Error|Warning) at/i);
      expect(code).toBe(0);
      expect(await templates(stage)).toHaveLength(2);
    });

    it('is clean by the rules of cfn-lint', async () => {
      // W3005: the CDK also says of what a resource depends where a reference says it already.
      const options = ['--regions', 'us-east-1', '--ignore-checks', 'W3005', '--', ...(await templates(stage))];

      expect(await command(join(dirname(pythonOfEmulator()), 'cfn-lint'), options)).toEqual({ code: 0, said: '' });
    });

    it('holds policies whose actions are actions, on resources that they fit', async () => {
      const ended = await command(pythonOfEmulator(), [join(ROOT, 'infra/emulator/lint_policies.py'), ...(await templates(stage))]);

      expect(ended).toEqual({ code: 0, said: expect.stringMatching(/^\d+ policies, 0 findings\n$/) });
    });
  });

  it('is the same the second time, to the hashes of its assets', async () => {
    await synth('dev', 'again', { CDK_VALIDATION: 'false' });

    expect(await contents('again')).toEqual(await contents('dev'));
    expect((await contents('again')).filter((file) => file.startsWith('asset.'))).toHaveLength(2);
  });
});

function pythonOfEmulator(): string {
  const python = process.env['EMULATOR_PYTHON'];
  if (python === undefined) throw new Error('the linters come with the emulator: run pnpm test:deploy');
  return python;
}
