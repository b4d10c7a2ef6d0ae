import type { MemoryStore } from '../memory-store.js';
import type { History } from './history.js';
import type { Scenario } from './scenario.js';
import type { VirtualTime } from './virtual-time.js';

/** What the parts of a running world share. */
export interface World {
  readonly seed: number;
  readonly scenario: Scenario;
  readonly time: VirtualTime;
  readonly store: MemoryStore;
  readonly history: History;
  /** The techniques that its engines have not. */
  readonly without: readonly string[];
}
