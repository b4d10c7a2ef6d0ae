import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { here, oneFile } from './one-file.mjs';

// Draws the dashboard with sample data: `preview.mjs page.html [picture.png]`. See preview/main.ts.
const USAGE = `usage: pnpm --filter @millrace/cdk run preview:dashboard page.html [picture.png]

Writes the dashboard with sample data as a page, and, where a Chromium is installed, a picture of it.
`;

// pnpm changes to the package's folder; and who calls it in an older way hands over the two dashes as well.
const folder = process.env['INIT_CWD'] ?? '.';
const args = process.argv.slice(process.argv[2] === '--' ? 3 : 2);
const files = args.map((arg) => (arg.startsWith('-') ? arg : resolve(folder, arg)));
const isWrong = files.length < 1 || files.length > 2 || files.some((file) => file.startsWith('-'));
if (isWrong) {
  const isHelp = files.some((file) => file === '--help' || file === '-h');
  (isHelp ? process.stdout : process.stderr).write(USAGE);
  process.exitCode = isHelp ? 0 : 2;
} else {
  const outfile = here('../dist/preview.cjs');
  await oneFile(here('../preview/main.ts'), outfile);
  process.exitCode = spawnSync(process.execPath, [outfile, ...files], { stdio: 'inherit' }).status ?? 1;
}
