/** How a piece of work ended; `undone`: there was no time to begin it. */
export type Ending<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'undone' };

/**
 * Does pieces of work side by side, at most so many at once. A failure ends nothing else. Before each piece `mayBegin` is
 * asked; from its first no on, nothing more begins, and what runs is waited for.
 */
export async function sideBySide<T>(
  pieces: readonly (() => Promise<T>)[],
  atOnce: number,
  mayBegin: () => boolean,
): Promise<readonly Ending<T>[]> {
  const endings: Ending<T>[] = pieces.map(() => ({ kind: 'undone' }));
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < pieces.length && mayBegin()) {
      const index = next;
      next += 1;
      endings[index] = await endingOf(pieces[index]);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, pieces.length) }, worker));
  return endings;
}

async function endingOf<T>(piece: (() => Promise<T>) | undefined): Promise<Ending<T>> {
  if (piece === undefined) return { kind: 'undone' };
  try {
    return { kind: 'done', value: await piece() };
  } catch (error) {
    return { kind: 'failed', error };
  }
}
