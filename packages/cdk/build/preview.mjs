import { execFileSync } from 'node:child_process';
import { here, oneFile } from './one-file.mjs';

// Draws the dashboard with sample data: `preview.mjs page.html [picture.png]`. See preview/main.ts.
const outfile = here('../dist/preview.cjs');
await oneFile(here('../preview/main.ts'), outfile);
execFileSync(process.execPath, [outfile, ...process.argv.slice(2)], { stdio: 'inherit' });
