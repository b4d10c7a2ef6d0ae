import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
let tree: string;

beforeEach(async () => {
  tree = await mkdtemp(join(root, 'packages/house/.planted-'));
  await plant('tsconfig.base.json', '{ "compilerOptions": { "module": "NodeNext", "moduleResolution": "NodeNext" } }');
});
afterEach(() => rm(tree, { recursive: true }));

async function plant(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(tree, file)), { recursive: true });
  await writeFile(join(tree, file), text);
}

/** The names of the rules that the planted tree breaks. */
async function brokenRules(): Promise<string[]> {
  const cruiser = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const options = ['--config', join(root, '.dependency-cruiser.cjs'), '--output-type', 'json', '.'];
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, [cruiser, ...options], { cwd: tree, maxBuffer: 10_000_000 }, (_error, stdout) => resolve(stdout));
  });
  const { summary } = JSON.parse(output) as { summary: { violations: { rule: { name: string } }[]; totalCruised: number } };
  expect(summary.totalCruised).toBeGreaterThan(0);
  return [...new Set(summary.violations.map(({ rule }) => rule.name))].sort();
}

const breaches = [
  {
    rule: 'no-circular',
    files: { 'packages/core/src/a.ts': "import './b.js';", 'packages/core/src/b.ts': "import './a.js';" },
  },
  { rule: 'core-is-pure', files: { 'packages/core/src/a.ts': "import 'node:fs';" } },
  { rule: 'cost-is-formulas', files: { 'packages/cost/src/a.ts': "import 'node:fs';" } },
  {
    rule: 'engine-knows-only-core',
    files: { 'packages/limiter/src/engine/a.ts': "import '../dynamo/b.js';", 'packages/limiter/src/dynamo/b.ts': 'export {};' },
  },
  {
    rule: 'wire-knows-only-core',
    files: { 'packages/limiter/src/wire/a.ts': "import 'node:crypto';" },
  },
  {
    rule: 'k6-at-the-edge',
    files: {
      'load/src/node/a.ts': "import 'k6/http';",
      'node_modules/k6/package.json': '{ "name": "k6" }',
      'node_modules/k6/http.js': 'module.exports = {};',
    },
  },
  {
    rule: 'scenarios-are-plans',
    files: { 'load/scenarios/a.ts': "import '../src/node/b.js';", 'load/src/node/b.ts': 'export {};' },
  },
  {
    rule: 'aws-sdk-at-the-edge',
    files: {
      'packages/limiter/src/a.ts': "import '@aws-sdk/client-dynamodb';",
      'node_modules/@aws-sdk/client-dynamodb/package.json': '{ "name": "@aws-sdk/client-dynamodb", "main": "index.js" }',
      'node_modules/@aws-sdk/client-dynamodb/index.js': 'module.exports = {};',
    },
  },
  {
    rule: 'constructs-need-only-the-cdk',
    files: {
      'packages/cdk/src/a.ts': "import 'esbuild';",
      'node_modules/esbuild/package.json': '{ "name": "esbuild", "main": "index.js" }',
      'node_modules/esbuild/index.js': 'module.exports = {};',
    },
  },
  {
    rule: 'aws-sdk-at-the-edge',
    files: {
      'packages/limiter/src/metrics/a.ts': "import '@aws-sdk/client-cloudwatch';",
      'packages/limiter/src/metrics/cloudwatch/index.ts': "import '@aws-sdk/client-cloudwatch';",
      'node_modules/@aws-sdk/client-cloudwatch/package.json': '{ "name": "@aws-sdk/client-cloudwatch", "main": "index.js" }',
      'node_modules/@aws-sdk/client-cloudwatch/index.js': 'module.exports = {};',
    },
  },
  {
    rule: 'public-doors-only',
    files: { 'packages/demo/src/a.ts': "import '../../limiter/src/entities.js';", 'packages/limiter/src/entities.ts': 'export {};' },
  },
  {
    rule: 'infra-is-a-stranger',
    files: { 'infra/bin/app.ts': "import '../../packages/core/src/index.js';", 'packages/core/src/index.ts': 'export {};' },
  },
  {
    rule: 'no-test-code-in-src',
    files: { 'packages/limiter/src/a.ts': "import '../../testing/src/index.js';", 'packages/testing/src/index.ts': 'export {};' },
  },
] as const;

describe('the architecture rules', () => {
  it.each(breaches)('catch a breach of $rule', async ({ rule, files }) => {
    for (const [file, text] of Object.entries(files)) await plant(file, text);

    expect(await brokenRules()).toEqual([rule]);
  });

  it('pass a tree that keeps them', async () => {
    await plant('packages/core/src/index.ts', "export * from './a.js';");
    await plant('packages/core/src/a.ts', 'export {};');
    await plant('packages/limiter/src/engine/index.ts', "import '../../../core/src/index.js';");

    expect(await brokenRules()).toEqual([]);
  });
});

describe('the linter', () => {
  async function lint(path: string, source: string): Promise<string> {
    const config = JSON.parse(await readFile(join(root, 'biome.json'), 'utf8'));
    await plant('biome.json', JSON.stringify({ ...config, vcs: { enabled: false } }));
    await plant(path, source);
    const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
    return new Promise((resolve) => {
      execFile(process.execPath, [biome, 'lint', path], { cwd: tree }, (_error, stdout, stderr) => resolve(stdout + stderr));
    });
  }

  it('refuses ambient time in core and engine, and nowhere else', async () => {
    const source = 'export const nowMs = (): number => Date.now();\n';

    expect(await lint('packages/core/src/planted.ts', source)).toContain('noRestrictedGlobals');
    expect(await lint('packages/limiter/src/engine/planted.ts', source)).toContain('noRestrictedGlobals');
    expect(await lint('packages/limiter/src/planted.ts', source)).not.toContain('noRestrictedGlobals');
  });

  it('refuses a source file of more than 300 lines', async () => {
    const lines = (count: number): string =>
      Array.from({ length: count }, (_, index) => `export const line${index} = ${index};\n`).join('');

    expect(await lint('packages/limiter/src/planted.ts', lines(301))).toContain('noExcessiveLinesPerFile');
    expect(await lint('packages/limiter/src/planted.ts', lines(300))).not.toContain('noExcessiveLinesPerFile');
  });
});
