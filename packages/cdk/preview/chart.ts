import type { Widget } from './dashboard-body.js';
import { escaped } from './markdown.js';
import { POINTS, type Series, sampleSeries } from './sample-series.js';

/** The colours that CloudWatch gives to lines that have none. */
const PALETTE = ['#1f77b4', '#ff7f0e', '#2ca02c', '#d62728', '#9467bd', '#8c564b', '#e377c2'];
const AXIS_WIDTH = 44;
const AXIS_HEIGHT = 16;
const GRID_LINES = 4;

interface Line extends Series {
  readonly color: string;
}

/** The lines of a widget that are seen, with sample data. */
function linesOf({ properties }: Widget): readonly Line[] {
  const shown = (properties.metrics ?? []).flatMap((metric) => {
    const last = metric.at(-1);
    const options = (typeof last === 'object' ? last : {}) as { label?: string; color?: string; visible?: boolean };
    if (options.visible === false) return [];
    const label = options.label ?? String(metric[1]);
    return sampleSeries(properties.title ?? '', label).map((series) => ({ ...series, color: options.color }));
  });
  return shown.map((line, index) => ({ ...line, color: line.color ?? (PALETTE[index % PALETTE.length] as string) }));
}

/** A graph of so many pixels, and its legend. */
export function graphHtml(widget: Widget, width: number, height: number): string {
  const lines = linesOf(widget);
  const { stacked = false, yAxis, annotations } = widget.properties;
  const stacks = stacked ? stackedValues(lines) : lines.map(({ values }) => values);
  const marks = annotations?.horizontal ?? [];
  const max = yAxis?.left?.max ?? niceMax(Math.max(0.001, ...stacks.flat(), ...marks.map(({ value }) => value * 1.05)));
  const plotHeight = height - AXIS_HEIGHT;
  const x = (index: number): number => AXIS_WIDTH + (index / (POINTS - 1)) * (width - AXIS_WIDTH - 6);
  const y = (value: number): number => 6 + (1 - value / max) * (plotHeight - 10);
  const paths = stacks.map((values, index) => {
    const points = values.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`);
    const color = (lines[index] as Line).color;
    if (!stacked) return `<polyline points="${points.join(' ')}" fill="none" stroke="${color}" stroke-width="1.5"/>`;
    const below = (index === 0 ? values.map(() => 0) : (stacks[index - 1] as readonly number[])).map(
      (value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`,
    );
    return `<polygon points="${[...points, ...below.reverse()].join(' ')}" fill="${color}" fill-opacity="0.75"/>`;
  });
  const rules = marks.map(({ value, label = '', color = '#d62728' }) => {
    const text = `<text x="${width - 8}" y="${y(value) - 4}" text-anchor="end" fill="${color}">${escaped(label)}</text>`;
    return `<line x1="${AXIS_WIDTH}" x2="${width - 6}" y1="${y(value)}" y2="${y(value)}" stroke="${color}" stroke-dasharray="4 3"/>${text}`;
  });
  const svg = `<svg width="${width}" height="${height}">${axes(max, width, plotHeight, y, x)}${paths.join('')}${rules.join('')}</svg>`;
  const unit = yAxis?.left?.label === undefined ? '' : `<div class="unit">${escaped(yAxis.left.label)}</div>`;
  return `${unit}${svg}<div class="legend fits">${lines.map(legendEntry).join('')}</div>`;
}

/** One number, and how it came to be. */
export function singleValueHtml(widget: Widget, width: number): string {
  const [line] = linesOf(widget);
  if (line === undefined) return '';
  const max = Math.max(0.001, ...line.values) * 1.1;
  const points = line.values.map((value, at) => `${((at / (POINTS - 1)) * width).toFixed(1)},${(34 - (value / max) * 32).toFixed(1)}`);
  const spark = `<svg width="${width}" height="36"><polyline points="${points.join(' ')}" fill="none" stroke="${line.color}" stroke-width="1.5"/></svg>`;
  return `<div class="value">${shortNumber(line.values.at(-1) ?? 0)}</div>${spark}<div class="legend fits">${legendEntry(line)}</div>`;
}

function axes(max: number, width: number, plotHeight: number, y: (value: number) => number, x: (index: number) => number): string {
  const grid = Array.from({ length: GRID_LINES + 1 }, (_, index) => {
    const value = (max / GRID_LINES) * index;
    const line = `<line x1="${AXIS_WIDTH}" x2="${width - 6}" y1="${y(value)}" y2="${y(value)}" stroke="#e9ebed"/>`;
    return `${line}<text x="${AXIS_WIDTH - 6}" y="${y(value) + 3}" text-anchor="end">${shortNumber(value)}</text>`;
  });
  const hours = [0, 3, 6, 9].map(
    (hour) => `<text x="${x((hour / 12) * (POINTS - 1))}" y="${plotHeight + 10}">${`0${hour}`.slice(-2)}:00</text>`,
  );
  return `<g>${grid.join('')}${hours.join('')}</g>`;
}

function stackedValues(lines: readonly Line[]): readonly (readonly number[])[] {
  const sums = Array.from({ length: POINTS }, () => 0);
  return lines.map(({ values }) =>
    values.map((value, at) => {
      sums[at] = (sums[at] ?? 0) + value;
      return sums[at] as number;
    }),
  );
}

function legendEntry({ label, color }: Line): string {
  return `<span><i style="background:${color}"></i>${escaped(label)}</span>`;
}

function niceMax(max: number): number {
  const power = 10 ** Math.floor(Math.log10(max));
  return (([1, 1.5, 2, 3, 4, 6, 8, 10].find((factor) => factor * power >= max) ?? 10) as number) * power;
}

function shortNumber(value: number): string {
  if (value >= 1_000_000) return `${trimmed(value / 1_000_000)}M`;
  if (value >= 1_000) return `${trimmed(value / 1_000)}k`;
  return trimmed(value);
}

function trimmed(value: number): string {
  return String(Number(value.toPrecision(3)));
}
