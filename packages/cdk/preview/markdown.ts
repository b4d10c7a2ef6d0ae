/** A text as HTML says it. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** As much of Markdown as the dashboard's texts have: headings, a table, code, links. */
export function markdownHtml(markdown: string): string {
  const lines = markdown.split('\n');
  const rows = lines.filter((line) => line.startsWith('|') && !/^[|\s-]+$/.test(line));
  const others = lines.filter((line) => line !== '' && !line.startsWith('|'));
  const [head, ...body] = rows.map((row) => row.split('|').slice(1, -1));
  const cells = (row: readonly string[], tag: string): string =>
    `<tr>${row.map((cell) => `<${tag}>${inline(cell.trim())}</${tag}>`).join('')}</tr>`;
  const table = head === undefined ? '' : `<table>${cells(head, 'th')}${body.map((row) => cells(row, 'td')).join('')}</table>`;
  return others.map(block).join('') + table;
}

function block(line: string): string {
  const [, marks, text] = /^(#{1,3}) (.*)$/.exec(line) ?? [];
  return marks === undefined || text === undefined ? `<p>${inline(line)}</p>` : `<h${marks.length}>${inline(text)}</h${marks.length}>`;
}

function inline(text: string): string {
  return escaped(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '<u>$1</u>');
}
