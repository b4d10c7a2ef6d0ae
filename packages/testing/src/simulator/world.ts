import type { MemoryStore } from '../memory-store.js';
import type { History } from './history.js';
import type { Scenario, Way } from './scenario.js';
import type { VirtualTime } from './virtual-time.js';

/** What the way between a process and the store needs of a world. */
export interface WayWorld {
  readonly seed: number;
  readonly scenario: Way;
  readonly time: VirtualTime;
  readonly store: MemoryStore;
  readonly history: History;
}

/** What the parts of a running world share. */
export interface World extends WayWorld {
  readonly scenario: Scenario;
  /** The techniques that its engines have not. */
  readonly without: readonly string[];
}
