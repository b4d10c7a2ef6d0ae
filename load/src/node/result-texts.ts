import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compareRuns, comparisonMarkdown, renderComparison, summaryOf } from '../plan/compare.js';
import { renderMarkdown, renderTerminal } from '../plan/render.js';
import { renderHtml } from '../plan/render-html.js';
import { resultsFolder } from './package-root.js';
import type { CompareCommand, ReportCommand } from './reading-arguments.js';
import { findRun } from './results.js';

/** The report of a run in the form that was asked for. @throws UsageError where there is no such run */
export async function reportText({ run, format, results }: ReportCommand): Promise<string> {
  const { folder, report } = await findRun(run, resultsFolder(results));
  switch (format) {
    case 'terminal':
      return renderTerminal(report);
    case 'markdown':
      return renderMarkdown(report);
    case 'json':
      return `${JSON.stringify(report, null, 2)}\n`;
    case 'html': {
      // k6 draws a run over its time where one k6 made it; else there are the figures alone.
      const dashboard = join(folder, 'dashboard.html');
      return existsSync(dashboard) ? readFile(dashboard, 'utf8') : renderHtml(report);
    }
  }
}

/** Runs side by side. @throws UsageError where there is no such run */
export async function comparisonText({ runs, format, results }: CompareCommand): Promise<string> {
  const found = await Promise.all(runs.map((run) => findRun(run, resultsFolder(results))));
  const reports = found.map(({ report }) => report);
  const comparison = compareRuns(
    found.map(({ run, report }) => summaryOf(run, report)),
    reports,
  );
  if (format === 'json') return `${JSON.stringify(comparison, null, 2)}\n`;
  return format === 'markdown' ? comparisonMarkdown(comparison) : renderComparison(comparison);
}
