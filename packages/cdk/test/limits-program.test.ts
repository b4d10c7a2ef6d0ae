import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

const folder = join(__dirname, '..');

interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

/** The properties of the manifests in the template of a program, which runs with the package as it is built. */
async function manifestsOf(program: string, stack: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { outputFiles } = await build({
    entryPoints: [join(__dirname, program)],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  });
  const out = await mkdtemp(join(tmpdir(), 'millrace-limits-'));
  try {
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', outputFiles[0]?.text ?? ''], {
      cwd: folder,
      env: { ...process.env, CDK_OUTDIR: out },
    });
    const template = JSON.parse(await readFile(join(out, `${stack}.template.json`), 'utf8'));
    return Object.values(template.Resources as Record<string, Resource>)
      .filter(({ Type: type }) => type === 'Custom::MillraceLimits')
      .map(({ Properties: properties }) => ({ ...properties, Manifest: JSON.parse(String(properties['Manifest'])) }));
  } finally {
    await rm(out, { recursive: true });
  }
}

const LIMITS = ['rpm:500/min', expect.anything()];

describe('the programs about limits in a stack', () => {
  it.each([
    ['limits-program.ts', '../limits/README.md'],
    ['manifests-program.ts', 'README.md'],
  ])('%s is in %s, as it is compiled and run', async (program, document) => {
    const [text, source] = await Promise.all([readFile(join(folder, document), 'utf8'), readFile(join(__dirname, program), 'utf8')]);
    expect(text).toContain(`\`\`\`ts\n${source}\`\`\`\n`);
  });

  it('synthesise: one of props', async () => {
    expect(await manifestsOf('limits-program.ts', 'Gateway')).toMatchObject([
      {
        Manifest: {
          system: { limits: ['rpm:60/min'] },
          resources: { 'gpt-4': ['rpm:500/min', 'tpm:800000/min'] },
          entities: { 'key-1': { default: ['rpm:100/min:300'] } },
        },
      },
    ]);
  });

  it('synthesise: one of props beside one of YAML, of which the first alone prunes', async () => {
    const [models, tenants] = await manifestsOf('manifests-program.ts', 'Limits');

    expect(models).toMatchObject({
      Prune: 'true',
      Manifest: {
        name: 'models',
        system: { onUnavailable: 'allow', limits: ['rpm:60/min'] },
        resources: { 'gpt-4': LIMITS, 'gpt-4o': LIMITS },
      },
    });
    expect(tenants).toMatchObject({
      Prune: 'false',
      Manifest: {
        name: 'tenants',
        entities: { 'key-1': { default: ['rpm:100/min'], resources: { 'gpt-4': ['rpm:1000/min', 'tpm:4000000/min:6000000'] } } },
      },
    });
  });
});
