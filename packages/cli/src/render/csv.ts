/** What may stand in a field. Numbers are plain, and nothing is an empty field. */
export type Field = string | number | undefined;

/** Comma-separated values as RFC 4180 has them: a head, and lines that end with CR and LF; what must be is in quotes. */
export function csv(head: readonly string[], rows: readonly (readonly Field[])[]): string {
  return [head, ...rows].map((row) => `${row.map(fieldText).join(',')}\r\n`).join('');
}

function fieldText(field: Field): string {
  const text = field === undefined ? '' : String(field);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
