import { graphHtml, singleValueHtml } from './chart.js';
import type { Widget } from './dashboard-body.js';
import { escaped, markdownHtml } from './markdown.js';

/** A column and a row of CloudWatch's grid, in pixels, as a screen of 1,440 shows them. */
const COLUMN = 60;
const ROW = 45;
const COLUMNS = 24;
const GAP = 6;
const TITLE_HEIGHT = 26;
const LEGEND_HEIGHT = 36;
const PADDING = 10;

const STYLE = `
body { margin: 0; background: #f2f3f3; font: 12px/1.35 Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif; color: #16191f; }
main { position: relative; width: ${COLUMNS * COLUMN}px; }
section { position: absolute; box-sizing: border-box; background: #fff; border: 1px solid #d5dbdb; border-radius: 6px; padding: 0 ${PADDING}px; overflow: hidden; }
section.transparent { background: none; border: none; }
.title { height: ${TITLE_HEIGHT}px; line-height: ${TITLE_HEIGHT}px; font-weight: bold; font-size: 13px; white-space: nowrap; overflow: hidden; }
.unit { position: absolute; top: 0; right: 12px; line-height: ${TITLE_HEIGHT}px; color: #687078; font-size: 10px; }
.legend { height: ${LEGEND_HEIGHT - 6}px; overflow: hidden; font-size: 11px; color: #414d5c; }
.legend span { margin-right: 12px; white-space: nowrap; display: inline-block; }
.legend i { display: inline-block; width: 9px; height: 9px; margin-right: 4px; }
.value { font-size: 26px; line-height: 30px; }
svg { display: block; } svg text { font-size: 10px; fill: #687078; }
h1 { font-size: 20px; margin: 12px 0 4px; } h2 { font-size: 16px; margin: 14px 0 0; } h3 { font-size: 14px; margin: 12px 0 8px; } p { margin: 0 0 6px; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: 4px 8px; border-bottom: 1px solid #e9ebed; } code { background: #f2f3f3; padding: 0 3px; }
.alarms { display: flex; flex-wrap: wrap; gap: 6px; height: 94px; overflow: hidden; align-content: flex-start; } .alarms b { font-weight: normal; width: 172px; border-left: 4px solid #1d8102; background: #f2f8f0; padding: 6px 10px; }
.alarms b.on { border-color: #d13212; background: #fdf3f1; } .bar { height: 12px; background: #1f77b4; }`;

/** Writes into the page whatever does not fit its place, for whoever looks at the page without eyes. */
const CHECK = `
const bad = [...document.querySelectorAll('section, .fits, .title')].filter((e) => e.scrollHeight > e.clientHeight + 1 || e.scrollWidth > e.clientWidth + 1);
document.documentElement.dataset.overflowing = JSON.stringify(bad.map((e) => (e.closest('section').dataset.name)));`;

/** The dashboard with sample data, on a page that needs nothing from anywhere. */
export function pageHtml(widgets: readonly Widget[]): string {
  const rows = Math.max(...widgets.map(({ y, height }) => y + height));
  const sections = widgets.map(sectionHtml).join('\n');
  const main = `<main style="height:${rows * ROW + GAP}px">${sections}</main>`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Millrace dashboard</title><style>${STYLE}</style><body>${main}<script>${CHECK}</script></body></html>\n`;
}

/** How large the page is, in pixels. */
export function pageSize(widgets: readonly Widget[]): { readonly width: number; readonly height: number } {
  return { width: COLUMNS * COLUMN, height: Math.max(...widgets.map(({ y, height }) => y + height)) * ROW + GAP };
}

function sectionHtml(widget: Widget): string {
  const { x, y, properties } = widget;
  const [width, height] = [widget.width * COLUMN - GAP, widget.height * ROW - GAP];
  const place = `left:${x * COLUMN + GAP / 2}px;top:${y * ROW + GAP / 2}px;width:${width}px;height:${height}px`;
  const name = escaped(properties.title ?? (properties.markdown ?? '').slice(0, 30));
  const title = properties.title === undefined ? '' : `<div class="title">${name}</div>`;
  const kind = properties.background === 'transparent' ? 'transparent' : 'solid';
  return `<section class="${kind}" style="${place}" data-name="${name}">${title}${bodyHtml(widget, width, height)}</section>`;
}

function bodyHtml(widget: Widget, width: number, height: number): string {
  const { properties, type } = widget;
  const inside = width - 2 * PADDING - 2;
  if (type === 'text') return markdownHtml(properties.markdown ?? '');
  if (type === 'alarm') return alarmsHtml(properties.alarms ?? []);
  if (properties.insightRule !== undefined) return rankingHtml();
  if (properties.view === 'singleValue') return singleValueHtml(widget, inside);
  return graphHtml(widget, inside, height - TITLE_HEIGHT - LEGEND_HEIGHT);
}

function alarmsHtml(alarms: readonly string[]): string {
  const one = (name: string): string => {
    const words = name.replace(/^Alarms/, '').replace(/([a-z])([A-Z])/g, '$1 $2');
    return `<b class="${words === 'Key Range Throttles' ? 'on' : ''}">${escaped(words)}</b>`;
  };
  return `<div class="alarms fits">${alarms.map(one).join('')}</div>`;
}

function rankingHtml(): string {
  const share = [100, 61, 44, 23, 17, 12, 8, 5, 4, 3];
  const row = (percent: number, index: number): string =>
    `<tr><td>key-${index + 1}, gpt-4</td><td style="width:60%"><div class="bar" style="width:${percent}%"></div></td></tr>`;
  return `<table>${share.map(row).join('')}</table>`;
}
