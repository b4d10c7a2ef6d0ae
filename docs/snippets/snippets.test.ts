import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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

const programs = [
  {
    document: 'README.md',
    snippet: 'quickstart.ts',
    prints: [
      'three: answered',
      'four: not now, rpm of key-1 is used up',
      "'RateLimit-Policy': '\"rpm\";q=3;w=60",
      'acquires: 4',
      'writeUnits: 12,',
    ],
  },
  { document: 'packages/core/README.md', snippet: 'decide.ts', prints: ['idle 1500\nbusy 470\n'] },
  {
    document: 'packages/limits/README.md',
    snippet: 'manifest.ts',
    prints: ['created 5\nmissing resource/gpt-4\n'],
  },
  { document: 'packages/cost/README.md', snippet: 'cost.ts', prints: ['cascade: 3600000 writes', 'a million acquires: $0.9'] },
  {
    document: 'docs/usage-ledger.md',
    snippet: 'usage.ts',
    prints: ['gpt-4: 250 used, about ', '24 hours, 250 booked', '250 altogether, most by key-1', 'whole and in flight: 0'],
  },
  {
    document: 'docs/usage-ledger.md',
    snippet: 'billing.ts',
    prints: ["job-1 { tpm: 250 } { feature: 'summary', answer: 'answer-1' }\n"],
  },
  {
    document: 'docs/operations.md',
    snippet: 'metrics.ts',
    prints: [
      '"Admitted":2,"Rejected":1,"LocallyRejected":1',
      '"Resource":"gpt-4"',
      '"LedgerFindings":0,"LedgerGaps":0',
      '"Namespace":"Millrace"',
    ],
  },
  { document: 'packages/testing/README.md', snippet: 'engine.ts', prints: ['3 of 4'] },
] as const;

describe.each(programs)('the program $snippet of $document', ({ document, snippet, prints }) => {
  it('is a file that is compiled and run', async () => {
    const [text, program] = await Promise.all([
      readFile(`${root}${document}`, 'utf8'),
      readFile(`${root}docs/snippets/${snippet}`, 'utf8'),
    ]);

    expect(text).toContain(`\`\`\`ts\n${program}\`\`\`\n`);
  });

  it('prints what it says, from the built packages', async () => {
    const output = await run(snippet);

    for (const line of prints) expect(output).toContain(line);
  });
});

/** The documents that a reader may come from, by their paths in the repository. */
async function allDocuments(): Promise<readonly string[]> {
  const within = async (folder: string, pattern: RegExp): Promise<readonly string[]> => {
    const names = await readdir(`${root}${folder}`);
    return names.filter((name) => pattern.test(name)).map((name) => `${folder}/${name}`);
  };
  const packages = await within('packages', /^[a-z]+$/);
  const readmes = [...packages, 'infra', 'load', '.'].map((folder) => join(folder, 'README.md'));
  const there = readmes.filter((file) => existsSync(`${root}${file}`));
  return [...there, ...(await within('docs', /\.md$/)), ...(await within('docs/adr', /\.md$/))];
}

/** What a heading is called in the address of its part. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
const prose = (text: string): string => text.replaceAll(/```[\s\S]*?```/g, '');

describe('the links of the documents', async () => {
  const documents = await allDocuments();

  it('are looked for in all of them', () => {
    expect(documents).toEqual(expect.arrayContaining(['README.md', 'infra/README.md', 'docs/operations.md', 'packages/cdk/README.md']));
  });

  it.each(documents)('of %s lead to files that exist, and to parts that they have', async (document) => {
    const links = [...prose(await readFile(`${root}${document}`, 'utf8')).matchAll(/\]\((?!https?:)([^)]+)\)/g)];

    for (const [, link = ''] of links) {
      const [file = '', anchor] = link.split('#');
      const path = file === '' ? document : join(dirname(document), file);
      const target = await readFile(join(root, path), 'utf8').catch(() => `no ${path}`);
      expect(target, `${link} of ${document}`).not.toBe(`no ${path}`);
      if (anchor === undefined) continue;
      const anchors = [...prose(target).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));
      expect(anchors, `${link} of ${document}`).toContain(anchor);
    }
  });
});
