/**
 * Text of others on a terminal. Names may hold any printable character, and reasons and actors come from other people:
 * what would move the cursor, colour the line or turn its direction around is written as an escape instead.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: showing them is the purpose.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Text as it may stand in a line: what a terminal would obey, or what would break the line, is escaped. */
export function safe(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are our own colours.
const COLOURS = /\u001b\[\d+m/g;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f|[\u{20000}-\u{3fffd}]/u;
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** How many columns of a terminal a text takes: two for wide signs and emoji, none for colours and combining marks. */
export function widthOf(text: string): number {
  const plain = text.replace(COLOURS, '');
  let width = 0;
  for (const { segment } of segmenter.segment(plain)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** Text filled up to a width. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - widthOf(text))) + text;
}
