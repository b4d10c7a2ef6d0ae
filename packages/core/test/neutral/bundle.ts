import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** All that an acquire runs, under two names. The engine is named by its path: nothing here may import it. */
const ACQUIRE_CODE = `
  export * as core from './packages/core/src/index.ts';
  export * as engine from './packages/limiter/src/engine/index.ts';
`;

const SCENARIO = fileURLToPath(new URL('./scenario.ts', import.meta.url));

/** What k6's runtime cannot parse. esbuild rewrites what it is told not to be supported, so a bundle without it stays as it is. */
const ASYNC_SYNTAX = ['async-generator', 'for-await', 'using'] as const;

export interface Bundle {
  readonly text: string;
  readonly metafile: Metafile;
}

/** The acquire code as a script that sets the global `millrace`. */
export function bundleAcquireCode(asyncSyntax: 'kept' | 'rewritten'): Promise<Bundle> {
  const supported = Object.fromEntries(ASYNC_SYNTAX.map((syntax) => [syntax, asyncSyntax === 'kept']));
  const stdin = { contents: ACQUIRE_CODE, resolveDir: ROOT, sourcefile: 'entry.ts', loader: 'ts' } as const;
  return bundle({ stdin, globalName: 'millrace', supported });
}

/** What the test does in the bare runtime, as a script that sets the global `scenario`. */
export function bundleScenario(): Promise<Bundle> {
  return bundle({ entryPoints: [SCENARIO], globalName: 'scenario' });
}

async function bundle(options: BuildOptions): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    metafile: true,
    // Takes the comments out, so that what is found in the text is code.
    minifyWhitespace: true,
    platform: 'neutral',
    conditions: ['@millrace/source'],
    format: 'iife',
    target: 'es2022',
    ...options,
  });
  return { text: outputFiles?.map((file) => file.text).join('\n') ?? '', metafile: metafile ?? { inputs: {}, outputs: {} } };
}
