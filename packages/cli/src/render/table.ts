import { figure } from './figures.js';
import { PLAIN, type Style } from './style.js';
import { padEnd, padStart, safe, widthOf } from './text.js';

/** What may stand in a cell. Numbers are grouped and right-aligned; nothing shows as a dash. */
export type Cell = string | number | undefined;

/** A column: its head, and how it is aligned. Columns of numbers are right-aligned unless said otherwise. */
export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

const GAP = '  ';

/**
 * An aligned table of plain text: two spaces between columns, no lines, nothing after the last cell, so that `awk`, `sort`
 * and eyes all read it. `empty` is said instead where there are no rows.
 */
export function table(
  titles: readonly (string | Column)[],
  rows: readonly (readonly Cell[])[],
  look: { readonly style?: Style; readonly empty?: string } = {},
): string {
  if (rows.length === 0) return `${look.empty ?? 'none'}\n`;
  const columns = titles.map((title) => (typeof title === 'string' ? { title } : title));
  const style = look.style ?? PLAIN;
  const cells = rows.map((row) => columns.map((_, index) => cellText(row[index])));
  const widths = columns.map(({ title }, index) => Math.max(widthOf(title), ...cells.map((row) => widthOf(row[index] ?? ''))));
  const toRight = columns.map(({ align }, index) => (align ?? (isNumeric(rows, index) ? 'right' : 'left')) === 'right');

  const line = (texts: readonly string[]): string =>
    texts
      .map((text, index) => (toRight[index] ? padStart(text, widths[index] ?? 0) : padEnd(text, widths[index] ?? 0)))
      .join(GAP)
      .trimEnd();
  const head = line(columns.map(({ title }) => title));
  return `${style.bold(head)}\n${cells.map((row) => `${line(row)}\n`).join('')}`;
}

/** Names and what they are, one to a line, aligned. What is undefined is left out. */
export function details(pairs: readonly (readonly [name: string, value: Cell])[], style: Style = PLAIN): string {
  const shown = pairs.filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...shown.map(([name]) => widthOf(name)));
  return shown.map(([name, value]) => `${style.dim(padEnd(name, width))}${GAP}${cellText(value)}\n`).join('');
}

function cellText(value: Cell): string {
  if (value === undefined || value === '') return '-';
  return typeof value === 'number' ? figure(value) : safe(value);
}

function isNumeric(rows: readonly (readonly Cell[])[], index: number): boolean {
  return rows.every((row) => typeof row[index] === 'number' || row[index] === undefined) && rows.some((row) => row[index] !== undefined);
}
