import type { WindowType } from '@millrace/core';
import { type UsageWindow, windowOf } from './windows.js';

/** The windows that were met, for as long as a batch or a page takes: what is in them is of a few, and calendars are slow. */
export class WindowMemory {
  readonly #met = new Map<string, UsageWindow[]>();

  /** What `windowOf` gives. */
  windowOf(atMs: number, zone: string, type: WindowType): UsageWindow {
    const name = `${zone} ${type}`;
    const windows = this.#met.get(name) ?? [];
    this.#met.set(name, windows);
    const known = windows.find(({ startMs, endMs }) => startMs <= atMs && atMs < endMs);
    if (known !== undefined) return known;
    const window = windowOf(atMs, zone, type);
    // The newest first: it is the one that what comes next is of.
    windows.unshift(window);
    return window;
  }
}
