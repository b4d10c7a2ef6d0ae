import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

const folder = join(__dirname, '..');

describe('the program about limits in a stack', () => {
  it('is in the README, as it is compiled and run', async () => {
    const [text, program] = await Promise.all([
      readFile(join(folder, '../limits/README.md'), 'utf8'),
      readFile(join(__dirname, 'limits-program.ts'), 'utf8'),
    ]);
    expect(text).toContain(`\`\`\`ts\n${program}\`\`\`\n`);
  });

  it('synthesises, with the package as it is built', async () => {
    const { outputFiles } = await build({
      entryPoints: [join(__dirname, 'limits-program.ts')],
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'node',
      packages: 'external',
    });
    const out = await mkdtemp(join(tmpdir(), 'millrace-limits-'));

    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', outputFiles[0]?.text ?? ''], {
      cwd: folder,
      env: { ...process.env, CDK_OUTDIR: out },
    });

    const template = JSON.parse(await readFile(join(out, 'Gateway.template.json'), 'utf8'));
    const [resource] = Object.values(template.Resources as Record<string, { Type: string; Properties: Record<string, unknown> }>).filter(
      ({ Type: type }) => type === 'Custom::MillraceLimits',
    );
    expect(JSON.parse(String(resource?.Properties['Manifest']))).toMatchObject({
      system: { limits: ['rpm:60/min'] },
      resources: { 'gpt-4': ['rpm:500/min', 'tpm:800000/min'] },
      entities: { 'key-1': { default: ['rpm:100/min:300'] } },
    });
    await rm(out, { recursive: true });
  });
});
