import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { chromium, runChromium } from './chromium.js';
import { dashboardBody } from './dashboard-body.js';
import { pageHtml, pageSize } from './page.js';
import { palettePng } from './palette-png.js';

// Writes the dashboard with sample data as a page, and, where a Chromium is installed, a picture of it: `main <page> [picture]`.
const [page, picture] = process.argv.slice(2).map((path) => resolve(path));
if (page === undefined) throw new Error('say into which file the page goes');
try {
  draw(page, picture);
} catch (error) {
  process.stderr.write(`preview: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

function draw(page: string, picture: string | undefined): void {
  const widgets = dashboardBody();
  const html = pageHtml(widgets);
  writeFileSync(page, html);
  if (picture === undefined) return;
  const program = chromium();
  if (program === undefined) throw new Error(`the page is written; a picture needs a Chromium on the path`);
  const { width, height } = pageSize(widgets);
  runChromium(program, page, '--hide-scrollbars', `--window-size=${width},${height}`, `--screenshot=${picture}`);
  writeFileSync(picture, palettePng(readFileSync(picture), html));
}
