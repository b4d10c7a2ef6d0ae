import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

// Draws the dashboard with sample data: `preview.mjs page.html [picture.png]`. See preview/main.ts.
/** @param {string} path */
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const outfile = here('../dist/preview.cjs');
await build({
  entryPoints: [here('../preview/main.ts')],
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
execFileSync(process.execPath, [outfile, ...process.argv.slice(2)], { stdio: 'inherit' });
