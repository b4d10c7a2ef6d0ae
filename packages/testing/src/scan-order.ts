import { createHash } from 'node:crypto';

interface Place {
  readonly partition: string;
  readonly hash: string;
}

/** The order in which a scan meets partitions: by a hash, so that nobody counts on any other. */
export class ScanOrder {
  #places: readonly Place[] = [];
  readonly #known = new Set<string>();

  /** The partitions from one on, whether that one is still there or not; some may be gone meanwhile. */
  from(partitions: ReadonlyMap<string, unknown>, partition: string | undefined): readonly string[] {
    const added = [...partitions.keys()].filter((name) => !this.#known.has(name));
    if (added.length > 0) {
      for (const name of added) this.#known.add(name);
      this.#places = [...this.#places, ...added.map(placeOf)].sort((a, b) => (a.hash < b.hash ? -1 : 1));
    }
    const start = partition === undefined ? '' : placeOf(partition).hash;
    return this.#places.filter(({ hash }) => hash >= start).map((place) => place.partition);
  }
}

function placeOf(partition: string): Place {
  return { partition, hash: createHash('sha256').update(partition).digest('hex') };
}
