import type { Session } from '../session.js';

const PAGE_SIZE = 1_000;

/** Which page of a listing is asked for. */
interface PagePlace {
  readonly pageSize: number;
  readonly after?: string;
}

/** A page, and behind what the next one begins; the last has none. */
interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string | undefined;
}

/** All pages of a listing in one, telling on the way how far it has come. All of it is held in memory. */
export async function everyPage<T>(session: Session, what: string, ask: (place: PagePlace) => Promise<Page<T>>): Promise<readonly T[]> {
  const progress = session.progress(what);
  try {
    const all: T[] = [];
    let after: string | undefined;
    do {
      const { items, next } = await ask({ pageSize: PAGE_SIZE, ...(after === undefined ? {} : { after }) });
      all.push(...items);
      if (next !== undefined) progress.step(all.length);
      after = next;
    } while (after !== undefined);
    return all;
  } finally {
    progress.end();
  }
}
