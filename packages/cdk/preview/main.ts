import { writeFileSync } from 'node:fs';
import { dashboardBody } from './dashboard-body.js';
import { pageHtml, pageSize } from './page.js';

// Writes the dashboard with sample data as a page, and says how large it is: `main <file>`.
const [, , file] = process.argv;
if (file === undefined) throw new Error('say into which file the page goes');
const widgets = dashboardBody();
writeFileSync(file, pageHtml(widgets));
const { width, height } = pageSize(widgets);
process.stdout.write(`${width},${height}\n`);
