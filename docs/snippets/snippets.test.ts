import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a snippet as a program of its own; it is bundled first, as Node 20 reads no TypeScript. */
async function run(snippet: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`${root}docs/snippets/${snippet}`],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  });
  const program = outputFiles[0]?.text ?? '';
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], { cwd: root });
  return stdout;
}

describe('the program in the README', () => {
  it('is the snippet that is compiled and run here', async () => {
    const [readme, snippet] = await Promise.all([
      readFile(`${root}README.md`, 'utf8'),
      readFile(`${root}docs/snippets/quickstart.ts`, 'utf8'),
    ]);

    expect(readme).toContain(`\`\`\`ts\n${snippet}\`\`\`\n`);
  });

  it('answers three prompts and refuses the fourth, from the built packages', async () => {
    const output = await run('quickstart.ts');

    expect(output).toContain('three: answered');
    expect(output).toContain('four: not now, rpm of key-1 and rpm of project-1 is used up');
    expect(output).toContain("'RateLimit-Policy': '\"rpm\";q=3;w=60");
    expect(output).toContain('acquires: 4');
  });
});

describe('the links of the documents', () => {
  it.each(['README.md', 'docs/adr/0001-one-number-per-limit.md'])('of %s lead to files that exist', async (document) => {
    const text = await readFile(`${root}${document}`, 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map((match) => match[1] ?? '');

    for (const link of links) await expect(readFile(`${root}${link}`), link).resolves.toBeDefined();
  });
});
