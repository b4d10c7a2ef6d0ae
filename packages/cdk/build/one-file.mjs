import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * A file of this package, by its path from this folder.
 *
 * @param {string} path
 */
export const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Writes one CommonJS file that needs nothing but the CDK: see ADR 0021.
 *
 * @param {string} entry
 * @param {string} outfile
 */
export async function oneFile(entry, outfile) {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    external: ['aws-cdk-lib', 'constructs'],
    conditions: ['@millrace/source', 'module'],
    mainFields: ['module', 'main'],
    logLevel: 'error',
  });
}
