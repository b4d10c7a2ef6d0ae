/** Rows of words under titles. The first column is words, the others are figures. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A table for a terminal, each line with its end. */
export function terminalTable({ head, rows }: Table): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ');
  return [head, ...rows].map((cells) => `  ${line(cells).trimEnd()}\n`).join('');
}

/** A table as markdown, each line with its end. */
export function markdownTable({ head, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return [head, head.map((_, column) => (column === 0 ? '---' : '---:')), ...rows].map(line).join('');
}

/** A figure with as many decimals as say something: three digits, and all before the point. */
export function figure(value: number): string {
  if (Number.isInteger(value)) return grouped(`${value}`);
  const size = Math.abs(value);
  return grouped(value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2));
}

/** Digits in threes. By hand, as k6 prints reports, too, and its interpreter knows no locales. */
export function grouped(digits: string): string {
  const [whole = '', ...fraction] = digits.split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...fraction].join('.');
}

/** What nobody measured. */
export const NOTHING = '–';
