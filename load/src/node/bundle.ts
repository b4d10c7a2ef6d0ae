import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Mode } from '../plan/settings.js';
import { BUNDLES, IS_REPOSITORY, PACKAGE_ROOT } from './package-root.js';

const SESSIONS: Readonly<Record<Mode, readonly [file: string, name: string]>> = {
  direct: ['direct-session', 'DirectSession'],
  gateway: ['gateway', 'GatewaySession'],
};

/** A scenario bundled for k6, with the limiter's engine or without it; returns the file. An installed package has them all. */
export async function bundleScenario(name: string, mode: Mode): Promise<string> {
  return IS_REPOSITORY ? bundleFromSource(name, mode) : join(BUNDLES, `${name}.${mode}.js`);
}

function bundleFromSource(name: string, mode: Mode): Promise<string> {
  const [file, session] = SESSIONS[mode];
  // A module's exports are said in its text, so the entry is written for each scenario.
  return bundle(
    `${name}.${mode}`,
    `import { program } from './src/k6/program.ts';
     import { ${session} } from './src/k6/${file}.ts';
     import { scenario } from './scenarios/${name}.ts';
     const made = program(scenario, (settings, meter, env) => new ${session}(settings, meter, env));
     export const options = made.options;
     export const handleSummary = made.handleSummary;
     export default made.turn;`,
  );
}

/**
 * Bundles a module of this package for k6. k6 is never given TypeScript: where that has syntax that k6 does not know, it
 * hangs for ever. What it does not know of the language is rewritten.
 */
export async function bundle(name: string, entry: string): Promise<string> {
  await mkdir(BUNDLES, { recursive: true });
  const outfile = join(BUNDLES, `${name}.js`);
  await build({
    stdin: { contents: entry, resolveDir: PACKAGE_ROOT, sourcefile: `${name}.ts`, loader: 'ts' },
    absWorkingDir: PACKAGE_ROOT,
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    conditions: ['@millrace/source'],
    external: ['k6', 'k6/*'],
    supported: { 'async-generator': false, 'for-await': false, using: false },
    logLevel: 'silent',
  });
  return outfile;
}
