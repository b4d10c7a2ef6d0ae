/** The first sentences of a Markdown text, as many as fit: an extract, which is as much of a summary as a stub can give. */
export function firstSentences(markdown: string, maxCharacters: number): string {
  const sentences = proseOf(markdown).split(/(?<=[.!?])\s+(?=\S)/);
  let summary = '';
  for (const sentence of sentences) {
    const longer = summary === '' ? sentence : `${summary} ${sentence}`;
    if (longer.length > maxCharacters) break;
    summary = longer;
  }
  return summary === '' ? (sentences[0] ?? '').slice(0, maxCharacters) : summary;
}

/** What a reader would call the text: no code, tables, headings, badges or addresses. */
function proseOf(markdown: string): string {
  return markdown
    .replace(/```[\s\S]*?(```|$)/g, '')
    .replace(/<!--[\s\S]*?-->|<[^>]*>/g, '')
    .replace(/^(#|\||={3,}|-{3,}|\[[^\]]*\]:).*$/gm, '')
    .replace(/!\[[^\]]*\](\([^)]*\)|\[[^\]]*\])/g, '')
    .replace(/\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])/g, '$1')
    .replace(/^\s*[-*>]\s+/gm, '')
    .replace(/[*_`]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
