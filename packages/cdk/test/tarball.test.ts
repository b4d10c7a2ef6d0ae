import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTable } from '@millrace/limiter/admin';
import { launchEngine } from '@millrace/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rigAssets } from './rig-assets.js';

const root = join(__dirname, '../../..');
const MOST_BYTES = 1_500_000;
/** Once is enough: the CDK's validator takes two seconds to begin. */
const unvalidated = { CDK_VALIDATION: 'false' };
let app: string;
let packed: { unpackedSize: number; files: { path: string }[] };

/** Runs a program and gives what it wrote; `env` is all of its environment beside the path. */
function run(command: string, args: readonly string[], cwd: string, env: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd, env: { PATH: process.env['PATH'], HOME: app, ...env }, timeout: 120_000, maxBuffer: 50_000_000 };
    execFile(command, args, options, (error, stdout, stderr) =>
      error === null ? resolve(stdout) : reject(new Error(`${error.message}\n${stdout}\n${stderr}`)),
    );
  });
}

// An app outside of the workspace, with nothing installed but the CDK and the package as it would be published.
beforeAll(async () => {
  app = await mkdtemp(join(tmpdir(), 'millrace-app-'));
  const said = await run('npm', ['pack', '--json', '--ignore-scripts', '--offline', '--pack-destination', app], join(root, 'packages/cdk'));
  [packed] = JSON.parse(said);
  const tarball = (await readdir(app)).find((file) => file.endsWith('.tgz'));
  await run('tar', ['-xzf', tarball ?? ''], app);
  await mkdir(join(app, 'node_modules/@millrace'), { recursive: true });
  await rename(join(app, 'package'), join(app, 'node_modules/@millrace/cdk'));
  for (const name of ['aws-cdk-lib', 'constructs']) {
    await symlink(join(root, 'packages/cdk/node_modules', name), join(app, 'node_modules', name));
  }
});
afterAll(() => rm(app, { recursive: true }));

describe('the package as it is published', () => {
  it('has the constructs, their declarations and the functions, and nothing of how they were built', () => {
    const paths = packed.files.map(({ path }) => path);

    expect(paths).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'assets/aggregator/index.js', 'README.md']));
    expect(paths.filter((path) => !/^(dist\/.*\.(d\.ts|js)|assets\/[a-z-]+\/index\.js|README\.md|package\.json)$/.test(path))).toEqual([]);
    console.log(`${paths.length} files, ${packed.unpackedSize} bytes`);
    expect(packed.unpackedSize).toBeLessThan(MOST_BYTES);
  });

  it('declares nothing by the name of what its user has not', async () => {
    const dist = join(app, 'node_modules/@millrace/cdk/dist');
    const declarations = (await readdir(dist, { recursive: true })).filter((file) => file.endsWith('.d.ts'));
    const texts = await Promise.all(declarations.map((file) => readFile(join(dist, file), 'utf8')));

    const named = texts.flatMap((text) => [...text.matchAll(/(?:from|import\()\s*["']([^."'][^"']*)["']/g)].map(([, name]) => name));
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !/^(aws-cdk-lib(\/aws-[a-z0-9-]+)?|constructs)$/.test(name ?? ''))).toEqual([]);
  });
});

const USE = `const app = new App({ outdir: process.argv[2] });
new RateLimiter(new Stack(app, 'Limiter'), 'Limiter', { archiveAuditEvents: true });
app.synth();`;

describe('an app outside of the workspace', () => {
  it('synthesises as CommonJS, where nothing can require an ES module, and as an ES module, to the same', async () => {
    const names = '{ App, Stack }';
    await writeFile(
      join(app, 'app.cjs'),
      `const ${names} = require('aws-cdk-lib'); const { RateLimiter } = require('@millrace/cdk');\n${USE}`,
    );
    await writeFile(join(app, 'app.mjs'), `import ${names} from 'aws-cdk-lib'; import { RateLimiter } from '@millrace/cdk';\n${USE}`);

    await run(process.execPath, ['--no-experimental-require-module', 'app.cjs', 'out-cjs'], app);
    await run(process.execPath, ['app.mjs', 'out-esm'], app, unvalidated);

    const [cjs, esm] = await Promise.all(['out-cjs', 'out-esm'].map((out) => readFile(join(app, out, 'Limiter.template.json'), 'utf8')));
    expect(esm).toBe(cjs);
    expect(Object.values<{ Type: string }>(JSON.parse(cjs ?? '').Resources).map(({ Type: type }) => type)).toContain(
      'AWS::Lambda::Function',
    );
    const staged = (await readdir(join(app, 'out-cjs'))).filter((name) => /^asset\.[0-9a-f]{64}$/.test(name));
    expect(staged).toHaveLength(1);
    const shipped = await readFile(join(app, 'node_modules/@millrace/cdk/assets/aggregator/index.js'));
    expect(shipped.equals(await readFile(join(app, 'out-cjs', staged[0] ?? '', 'index.js')))).toBe(true);
  });

  it('takes each example of the README, types and all', async () => {
    const readme = await readFile(join(app, 'node_modules/@millrace/cdk/README.md'), 'utf8');
    const programs = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, program]) => program ?? '');
    const names = programs.map((_, index) => `example-${index}`);
    await Promise.all(programs.map((program, index) => writeFile(join(app, `${names[index]}.ts`), program)));
    await rename(rigAssets(), join(app, 'load-assets'));

    const compilerOptions = { strict: true, skipLibCheck: true, module: 'nodenext', target: 'es2022', types: [] };
    await writeFile(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: names.map((name) => `${name}.ts`) }));
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'], app);
    const made = await Promise.all(
      names.map(async (name) => {
        const out = join(app, `out-${name}`);
        await run(process.execPath, [`${name}.js`], app, { ...unvalidated, CDK_OUTDIR: out });
        const template = (await readdir(out)).find((file) => file.endsWith('.template.json')) ?? '';
        const { Resources: resources } = JSON.parse(await readFile(join(out, template), 'utf8'));
        return Object.values<{ Type: string }>(resources).map(({ Type: type }) => type);
      }),
    );

    expect(made).toEqual([
      expect.arrayContaining(['AWS::DynamoDB::Table', 'AWS::KMS::Key', 'AWS::S3::Bucket', 'AWS::IAM::Policy']),
      expect.arrayContaining(['Custom::MillraceLimits']),
      expect.arrayContaining(['AWS::ECS::TaskDefinition', 'AWS::EC2::VPC']),
    ]);
  });

  it('says what is missing where a function is not there', async () => {
    const assets = join(app, 'node_modules/@millrace/cdk/assets');
    await rename(assets, `${assets}-away`);

    const failure = run(
      process.execPath,
      ['-e', `const { App, Stack } = require('aws-cdk-lib'); const { RateLimiter } = require('@millrace/cdk'); ${USE}`],
      app,
    );

    await expect(failure.finally(() => rename(`${assets}-away`, assets))).rejects.toThrow('assets/aggregator/index.js is not there');
  });

  it('has a function that loads and handles an event: what is read is written, what is not is reported', async () => {
    await using engine = await launchEngine();
    const { endpoint, region, credentials } = engine;
    const table = `millrace-${randomUUID()}`;
    await createTable({ table, endpoint, region, credentials });
    const event = await readFile(join(root, 'lambdas/aggregator/test/recorded-event.json'), 'utf8');
    const { length: count } = (JSON.parse(event) as { Records: unknown[] }).Records;
    const handler = "require('./node_modules/@millrace/cdk/assets/aggregator/index.js').handler";

    const said = await run(
      process.execPath,
      ['-e', `${handler}(${event}, { getRemainingTimeInMillis: () => 30000 }).then((answer) => console.log(JSON.stringify(answer)))`],
      app,
      {
        AWS_REGION: region,
        AWS_ACCESS_KEY_ID: credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
        AWS_ENDPOINT_URL_DYNAMODB: endpoint,
        MILLRACE_TABLE: table,
      },
    );

    const [figures, answer] = said.trim().split('\n').slice(-2);
    expect(JSON.parse(answer ?? '')).toEqual({ batchItemFailures: [{ itemIdentifier: expect.any(String) }] });
    expect(JSON.parse(figures ?? '')).toMatchObject({ Table: table, Records: count, WindowsWritten: 4, PoisonRecords: 1 });
  });
});
