import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** @param {string} path */
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

// One CommonJS file that needs nothing but the CDK: see ADR 0021. Its declarations are tsc's.
await build({
  entryPoints: [here('../src/index.ts')],
  outfile: here('../dist/index.js'),
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  external: ['aws-cdk-lib', 'constructs'],
  conditions: ['@millrace/source', 'module'],
  mainFields: ['module', 'main'],
  logLevel: 'error',
});
