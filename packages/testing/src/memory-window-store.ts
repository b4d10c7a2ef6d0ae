import { usageKey, type WindowRef } from '@millrace/core';
import { holdsChange, mergeChange, type UsageWindowItem, type WindowChange, type WindowStore } from '@millrace/ledger';

/** The reference of a store of usage windows: it merges, and no step of it waits. */
export class MemoryWindowStore implements WindowStore {
  readonly #windows = new Map<string, UsageWindowItem>();

  async widen(change: WindowChange): Promise<'written' | 'known'> {
    const name = nameOf(change.ref);
    const known = this.#windows.get(name);
    if (known !== undefined && holdsChange(known, change)) return 'known';
    this.#windows.set(name, known === undefined ? change : mergeChange(known, change));
    return 'written';
  }

  /** The window at a place; undefined where nothing was used. */
  async read(ref: WindowRef): Promise<UsageWindowItem | undefined> {
    return this.#windows.get(nameOf(ref));
  }

  /** All windows, in the order of their keys. */
  windows(): readonly UsageWindowItem[] {
    return [...this.#windows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, window]) => window);
  }
}

function nameOf(ref: WindowRef): string {
  const { partition, sort } = usageKey(ref);
  return `${partition}\n${sort}`;
}
