/** A table as text: what its columns are called, and its cells. The first `left` columns are words, the others figures. */
export interface TextTable {
  readonly titles: readonly string[];
  readonly left: number;
  readonly rows: readonly (readonly string[])[];
}

/** Aligned columns with two spaces between them and nothing after the last. */
export function plainTable({ titles, left, rows }: TextTable): string {
  const widths = titles.map((title, index) => Math.max(title.length, ...rows.map((row) => (row[index] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    titles
      .map((_, index) => {
        const [cell, width] = [cells[index] ?? '', widths[index] as number];
        return index < left ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd();
  return [titles, ...rows].map((cells) => `${line(cells)}\n`).join('');
}

/** The same for a Markdown page. */
export function markdownTable({ titles, left, rows }: TextTable): string {
  const line = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  const rule = titles.map((_, index) => (index < left ? '---' : '---:'));
  return line(titles) + line(rule) + rows.map(line).join('');
}
