import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { palettePng } from './palette-png.mjs';

// Draws the dashboard with sample data: `preview.mjs page.html [picture.png]`. The picture needs a Chromium on the path.
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

const [page = here('../dist/preview.html'), picture] = process.argv.slice(2);
const size = execFileSync(process.execPath, [outfile, page], { encoding: 'utf8' }).trim();
process.stdout.write(`${page} ${size}\n`);
if (picture !== undefined) {
  const flags = ['--headless', '--no-sandbox', '--hide-scrollbars', `--window-size=${size}`, `--screenshot=${picture}`, `file://${page}`];
  execFileSync(process.env.CHROMIUM ?? 'chromium', flags, { stdio: 'ignore' });
  writeFileSync(picture, palettePng(readFileSync(picture)));
}
