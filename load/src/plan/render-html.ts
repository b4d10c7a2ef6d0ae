import { renderTerminal } from './render.js';
import type { Report } from './report.js';

const STYLE =
  'body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}pre{overflow-x:auto;line-height:1.4}';

/**
 * The report as one page that needs no other: for runs of many workers, of which no k6 has a dashboard of the whole.
 */
export function renderHtml(report: Report): string {
  const title = `${report.scenario}: ${report.outcome}`;
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title><style>${STYLE}</style></head>`,
    `<body><h1>${escaped(title)}</h1>`,
    `<p>Run ${escaped(report.settings.run)}, ${escaped(report.runtime)}, started ${escaped(report.startedAt)}.</p>`,
    `<pre>${escaped(renderTerminal(report))}</pre>`,
    '</body></html>',
    '',
  ].join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
