import { createContext, runInContext } from 'node:vm';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundleAcquireCode, bundleScenario } from './neutral/bundle.js';
import { readVectors } from './vectors/read-vectors.js';

let bundle: Bundle;
let scenario: Bundle;

beforeAll(async () => {
  [bundle, scenario] = await Promise.all([bundleAcquireCode('kept'), bundleScenario()]);
});

/** What k6's runtime lacks of the language; a fresh context has it, so it is taken away. */
const ABSENT_BUILTINS = [
  'globalThis.console',
  'globalThis.WebAssembly',
  'globalThis.WeakRef',
  'globalThis.FinalizationRegistry',
  'globalThis.Iterator',
  'Promise.withResolvers',
  'Object.groupBy',
  'Map.groupBy',
  'Array.fromAsync',
  'Error.captureStackTrace',
  'Set.prototype.union',
];

const ABSENT_GLOBALS = [
  'process',
  'Buffer',
  'console',
  'setTimeout',
  'setImmediate',
  'queueMicrotask',
  'performance',
  'structuredClone',
  'URL',
  'TextEncoder',
  'AbortController',
  'AbortSignal',
  'crypto',
  'fetch',
  'require',
  'WeakRef',
];

/** A runtime that has the language and nothing else, with the acquire code and the scenario loaded. */
function bareRuntime(): (script: string) => unknown {
  const context = createContext({});
  const run = (script: string): unknown => runInContext(script, context);
  for (const name of ABSENT_BUILTINS) run(`delete ${name}`);
  run(bundle.text);
  run(scenario.text);
  return run;
}

describe('the bundle of the acquire code', () => {
  it('imports nothing', () => {
    const { inputs, outputs } = bundle.metafile;

    const imports = [...Object.values(inputs), ...Object.values(outputs)].flatMap((file) => file.imports);
    expect(imports.filter((imported) => imported.external === true || imported.path.startsWith('node:'))).toStrictEqual([]);
    expect(Object.values(outputs).flatMap((output) => output.imports)).toStrictEqual([]);
  });

  it('is made of core and engine alone', () => {
    const paths = Object.keys(bundle.metafile.inputs).filter((path) => path !== 'entry.ts');

    const isOurs = (path: string): boolean => /^packages\/(core\/src|limiter\/src\/engine)\/[\w./-]+\.ts$/.test(path);
    expect(paths.filter((path) => !isOurs(path))).toStrictEqual([]);
    expect(paths).toContain('packages/core/src/arrival.ts');
    expect(paths).toContain('packages/limiter/src/engine/engine.ts');
  });

  it('has no async iteration and no `using`: it stays the same where they have to be rewritten', async () => {
    const rewritten = await bundleAcquireCode('rewritten');

    expect(rewritten.text).toBe(bundle.text);
    expect(bundle.text).not.toMatch(/__using|__forAwait|__asyncGenerator|asyncIterator/);
  });

  it.each([
    'structuredClone',
    'WeakRef',
    'FinalizationRegistry',
    'AbortController',
    'performance',
    'setTimeout',
    'console',
    'process',
    'Date',
    'URL',
  ])('does not name %s', (name) => {
    expect(bundle.text).not.toMatch(new RegExp(`(?<![\\w$"'\`])${name}\\b(?!["'\`])`));
  });
});

describe('a runtime with nothing but the language', () => {
  it('has none of what Node adds to it', () => {
    const run = bareRuntime();

    expect(ABSENT_GLOBALS.filter((name) => run(`typeof ${name}`) !== 'undefined')).toStrictEqual([]);
  });

  it.each([...readVectors()])('gives the golden answers of %s', (kind, vectors) => {
    const run = bareRuntime();

    const answers = run(`JSON.stringify(scenario.answersTo(millrace.core, ${JSON.stringify(kind)}, ${JSON.stringify(vectors)}))`);

    expect(JSON.parse(String(answers))).toEqual(vectors.map((vector) => vector.then));
  });

  it('acquires below a parent, adjusts, refuses and gives back', async () => {
    const run = bareRuntime();

    const seen = await run('scenario.acquireAdjustRelease(millrace.core, millrace.engine).then(JSON.stringify)');

    expect(JSON.parse(String(seen))).toStrictEqual({
      acquired: { consumed: { rpm: 1, tpm: 800 }, remaining: { rpm: 9, tpm: 200 } },
      adjusted: { consumed: { rpm: 1, tpm: 950 }, remaining: { rpm: 9, tpm: 50 } },
      refusal: {
        code: 'RATE_LIMIT_EXCEEDED',
        retryAfterMs: 60,
        headers: { 'RateLimit-Policy': '"tpm";q=1000;w=60', RateLimit: '"tpm";r=50;t=1', 'Retry-After': '1' },
      },
      parentHas: { rpm: 9, tpm: 50 },
      released: { rpm: 10, tpm: 1000 },
    });
  });
});
