const SHOWN_CHARACTERS = 60;

/** A value on one line, and whether it was too long for that: `--json` has it whole. */
export interface Brief {
  readonly text: string;
  readonly isCut: boolean;
}

/** Cuts a line where it is too long to stand in a table. */
export function brief(text: string): Brief {
  const isCut = text.length > SHOWN_CHARACTERS;
  return { text: isCut ? `${text.slice(0, SHOWN_CHARACTERS - 1)}…` : text, isCut };
}

/** Plain data for people: `parent: org, cascade: yes`. What is empty is left out, so that the rest has room. */
export function plainText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(plainText).join(' ');
  if (typeof value !== 'object' || value === null) return String(value);
  const parts = Object.entries(value).map(([key, part]) => [key, plainText(part), isObject(part)] as const);
  return parts
    .filter(([, text]) => text !== '')
    .map(([key, text, isNested]) => (isNested ? `${key} (${text})` : `${key}: ${text}`))
    .join(', ');
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
