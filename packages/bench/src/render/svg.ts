import { figure } from './figure.js';

/** Bars in groups, on a logarithmic scale: what differs by a factor of a hundred must still be seen. */
export interface BarChart {
  readonly title: string;
  /** The values of a group by the name of the series; a series without one has no bar. */
  readonly groups: readonly { readonly label: string; readonly values: Readonly<Record<string, number>> }[];
}

/** A page of charts, two beside each other, with one legend. */
export interface ChartPage {
  readonly title: string;
  readonly series: readonly { readonly name: string; readonly colour: string }[];
  readonly charts: readonly BarChart[];
}

const CHART = { width: 520, height: 230, left: 44, top: 34, bottom: 28, right: 10 } as const;
const COLUMNS = 2;
const HEAD = 62;
/** Room for one figure above a bar, in a font of 8 units. */
const FIGURE_HEIGHT = 12;

/** Text and lines take the reader's colours; bars are of a middle lightness, which stands out from white and black alike. */
const STYLE = `
  svg { color-scheme: light dark; }
  text { font: 11px system-ui, sans-serif; fill: #24292f; }
  .head { font-size: 14px; font-weight: 600; }
  .title { font-size: 12px; font-weight: 600; }
  .value { font-size: 8px; stroke: #ffffff; stroke-width: 2px; paint-order: stroke; }
  .muted { fill: #57606a; }
  .grid { stroke: #d0d7de; stroke-width: 1; }
  .page { fill: #ffffff; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .value { stroke: #0d1117; }
    .muted { fill: #9da7b3; }
    .grid { stroke: #3a424c; }
    .page { fill: #0d1117; }
  }
`;

/** Text as it may stand in SVG. */
export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');
}

/** Draws a page as one SVG file that needs nothing else. */
export function barCharts({ title, series, charts }: ChartPage): string {
  const width = CHART.width * Math.min(COLUMNS, Math.max(1, charts.length));
  const height = HEAD + CHART.height * Math.ceil(charts.length / COLUMNS);
  const drawn = charts.map((chart, index) => {
    const [x, y] = [(index % COLUMNS) * CHART.width, HEAD + Math.floor(index / COLUMNS) * CHART.height];
    return `<g transform="translate(${x} ${y})">\n${drawChart(chart, series)}</g>\n`;
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">\n` +
    `<title>${escapeXml(title)}</title>\n<style>${STYLE}</style>\n<rect class="page" width="100%" height="100%"/>\n` +
    `<text class="head" x="${CHART.left}" y="24">${escapeXml(title)}</text>\n${legend(series)}${drawn.join('')}</svg>\n`
  );
}

function legend(series: ChartPage['series']): string {
  let x: number = CHART.left;
  return series
    .map(({ name, colour }) => {
      const entry = `<rect x="${x}" y="38" width="10" height="10" fill="${colour}"/><text x="${x + 15}" y="47">${escapeXml(name)}</text>\n`;
      x += 34 + name.length * 6.4;
      return entry;
    })
    .join('');
}

/** The powers of ten between which all values lie: at least one whole decade. */
export function decadesOf(values: readonly number[]): readonly [low: number, high: number] {
  const positive = values.filter((value) => value > 0 && Number.isFinite(value));
  if (positive.length === 0) return [0, 1];
  const low = Math.floor(Math.log10(Math.min(...positive)));
  return [low, Math.max(low + 1, Math.ceil(Math.log10(Math.max(...positive))))];
}

function drawChart({ title, groups }: BarChart, series: ChartPage['series']): string {
  const [low, high] = decadesOf(groups.flatMap(({ values }) => Object.values(values)));
  const [plotWidth, floor] = [CHART.width - CHART.left - CHART.right, CHART.height - CHART.bottom];
  const plotHeight = floor - CHART.top - FIGURE_HEIGHT;
  const heightOf = (value: number): number => Math.max(1, ((Math.log10(value) - low) / (high - low)) * plotHeight);
  const groupWidth = plotWidth / Math.max(1, groups.length);
  const barWidth = Math.min(26, (groupWidth * 0.86) / Math.max(1, series.length));

  const lines = Array.from({ length: high - low + 1 }, (_, index) => {
    const y = round(floor - (index / (high - low)) * plotHeight);
    const label = `<text class="muted" x="${CHART.left - 6}" y="${y + 4}" text-anchor="end">${decade(low + index)}</text>`;
    return `<line class="grid" x1="${CHART.left}" x2="${CHART.left + plotWidth}" y1="${y}" y2="${y}"/>${label}\n`;
  });
  const bars = groups.map(({ label, values }, group) => {
    const shown = series.filter(({ name }) => (values[name] ?? 0) > 0);
    const middle = CHART.left + (group + 0.5) * groupWidth;
    const start = middle - (shown.length * barWidth) / 2;
    const drawn = shown.map(({ name, colour }, index) => {
      const value = values[name] as number;
      const [x, height] = [start + index * barWidth, heightOf(value)];
      const says = `<title>${escapeXml(`${name}, ${label}: ${figure(value)}`)}</title>`;
      const bar = `<rect x="${round(x + 1)}" y="${round(floor - height)}" width="${round(barWidth - 2)}" height="${round(height)}" fill="${colour}">${says}</rect>`;
      const above = `<text class="value" x="${round(x + barWidth / 2)}" y="${round(floor - height - 3)}" text-anchor="middle">${short(value)}</text>`;
      return `${bar}${above}\n`;
    });
    return `${drawn.join('')}<text x="${round(middle)}" y="${floor + 16}" text-anchor="middle">${escapeXml(label)}</text>\n`;
  });
  return `<text class="title" x="${CHART.left}" y="14">${escapeXml(title)}</text>\n${lines.join('')}${bars.join('')}`;
}

/** A figure that fits above a bar: two digits, and k or M. */
export function short(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(2))}M`;
  if (value >= 1e3) return `${Number((value / 1e3).toPrecision(2))}k`;
  return String(Number(value.toPrecision(2)));
}

function decade(power: number): string {
  return short(10 ** power);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
