import { figure } from './figures.js';
import { PLAIN, type Style } from './style.js';
import { padEnd, padStart, safe, widthOf } from './text.js';

/** A bar: what it stands for, and how long it is. */
export interface Bar {
  readonly label: string;
  readonly value: number;
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const GAP = 2;
const NARROWEST = 8;

/**
 * Bars below each other, as long as their values, the longest filling the width. A value that is not 0 always shows; one
 * below 0, of a window in which more was given back than taken, has no bar.
 */
export function barChart(bars: readonly Bar[], columns = 80, style: Style = PLAIN): string {
  if (bars.length === 0) return '';
  const labels = bars.map(({ label }) => safe(label));
  const values = bars.map(({ value }) => figure(value));
  const [labelWidth, valueWidth] = [Math.max(...labels.map(widthOf)), Math.max(...values.map(widthOf))];
  const width = Math.max(NARROWEST, columns - labelWidth - valueWidth - 2 * GAP - 1);
  const largest = Math.max(...bars.map(({ value }) => value), 1);
  return bars
    .map(({ value }, index) => {
      const head = `${padEnd(labels[index] ?? '', labelWidth)}${' '.repeat(GAP)}${padStart(values[index] ?? '', valueWidth)}`;
      return `${head}${' '.repeat(GAP)}${style.good(barOf(value, largest, width))}`.trimEnd();
    })
    .map((line) => `${line}\n`)
    .join('');
}

function barOf(value: number, largest: number, width: number): string {
  if (value <= 0) return '';
  const eighths = Math.max(1, Math.round((value / largest) * width * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
}
