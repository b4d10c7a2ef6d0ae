/**
 * A filter pattern of Lambda: a tree of the names of a record's parts, whose leaves list what may be there. An alternative
 * is a value, or a rule: `exists`, `prefix`, `anything-but`. All leaves must match. A pattern that holds another rule is refused.
 */
export type FilterPattern = { readonly [part: string]: FilterPattern | readonly FilterAlternative[] };

type Plain = string | number | boolean | null;

type FilterAlternative = Plain | { readonly exists: boolean } | { readonly prefix: string } | { readonly 'anything-but': readonly Plain[] };

/** Whether a record matches a pattern. */
export function matches(pattern: FilterPattern, record: unknown): boolean {
  return Object.entries(pattern).every(([part, wanted]) => {
    const found = typeof record === 'object' && record !== null ? (record as Record<string, unknown>)[part] : undefined;
    return isLeaf(wanted) ? wanted.some((alternative) => isOf(alternative, found)) : matches(wanted, found);
  });
}

function isLeaf(wanted: FilterPattern | readonly FilterAlternative[]): wanted is readonly FilterAlternative[] {
  return Array.isArray(wanted);
}

function isOf(alternative: FilterAlternative, found: unknown): boolean {
  if (typeof alternative !== 'object' || alternative === null) return found === alternative;
  // Lambda looks for existence at leaves only: a part that has parts of its own is none.
  if ('exists' in alternative) return alternative.exists === (found !== undefined && (typeof found !== 'object' || found === null));
  if ('prefix' in alternative) return typeof found === 'string' && found.startsWith(alternative.prefix);
  if ('anything-but' in alternative) return found !== undefined && !alternative['anything-but'].includes(found as Plain);
  throw new Error(`a filter of Lambda has no rule ${Object.keys(alternative).join()} that this pump knows`);
}
