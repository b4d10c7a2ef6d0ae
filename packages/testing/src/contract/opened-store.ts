import { afterAll, beforeAll } from 'vitest';

/** A store of its own for a suite, and how to be rid of it. */
export interface OpenedStore<Store> {
  readonly store: Store;
  close(): Promise<void>;
}

/** Opens a store that nobody else writes to. */
export type OpenStore<Store> = () => Promise<OpenedStore<Store>>;

/** Opens one store for the suite around it; what it gives may be called from the suite's tests. */
export function suiteStore<Store>(open: OpenStore<Store>): () => Store {
  let opened: OpenedStore<Store> | undefined;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(async () => {
    await opened?.close();
  });
  return () => {
    if (opened === undefined) throw new Error('the store is open only while tests of its suite run');
    return opened.store;
  };
}
