import type { WindowChange } from './change.js';

/** Where usage windows are kept. */
export interface WindowStore {
  /**
   * Sees to it that the window holds at least what the change says. It may be called any number of times with the same
   * change, in any order with others, from any number of processes at once, and be interrupted: the window is the same.
   * `known`: the window said it already, and nothing was written.
   */
  widen(change: WindowChange): Promise<'written' | 'known'>;
}
