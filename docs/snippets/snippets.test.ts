import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
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

describe('the links of the documents', () => {
  const documents = [
    'README.md',
    'docs/load-testing.md',
    'docs/usage-ledger.md',
    'load/README.md',
    'packages/cdk/README.md',
    'packages/cli/README.md',
    'packages/core/README.md',
    'packages/cost/README.md',
    'packages/limiter/README.md',
    'packages/limits/README.md',
    'packages/testing/README.md',
  ];

  it.each(documents)('of %s lead to files that exist', async (document) => {
    const text = await readFile(`${root}${document}`, 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map((match) => match[1] ?? '');

    expect(links).not.toEqual([]);
    for (const link of links) await expect(readFile(join(root, dirname(document), link)), link).resolves.toBeDefined();
  });
});
