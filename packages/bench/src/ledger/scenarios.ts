import { WINDOW_TYPES, type WindowType } from '@millrace/core';
import type { SideName } from './cell.js';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

/** Changes of keys, and what is kept of them. */
export interface Shape {
  readonly changes: number;
  /** Keys that are changed, in turns. */
  readonly keys: number;
  /** The time over which the changes are spread, from midnight of a day on. */
  readonly spreadMs: number;
  readonly windowTypes: readonly WindowType[];
}

/** A shape that is worked off with various concurrency. */
export interface Scenario extends Shape {
  readonly name: string;
  /** One line for the reader of a table. */
  readonly does: string;
  /** Writes under way at once. 1 is in sequence. */
  readonly concurrencies: readonly number[];
  /** Whose run in sequence the speed-ups of a side are told of. @default its own */
  readonly baseline?: Readonly<Partial<Record<SideName, string>>>;
}

const MATRIX = [10, 50, 100];
const FEWEST = 100;
const PUBLISHED_COUNTS = [FEWEST, 500, 1_000];

/** One key in one hour: what was published of consolidating, and where folding helps most. */
function folded(changes: number): Scenario {
  return {
    name: `folded-${changes}`,
    does: `${changes.toLocaleString('en-US')} changes of one key within five seconds; windows of all types`,
    changes,
    keys: 1,
    spreadMs: 5 * SECOND_MS,
    windowTypes: WINDOW_TYPES,
    concurrencies: [1, ...MATRIX],
    // In sequence a mark takes as long among a thousand as among a hundred.
    ...(changes === FEWEST ? {} : { baseline: { plugin: `folded-${FEWEST}` } }),
  };
}

/** As many keys as changes: nothing folds, and each change is a window to write. */
function scattered(changes: number): Scenario {
  const first = `scattered-${FEWEST}`;
  return {
    name: `scattered-${changes}`,
    does: `${changes.toLocaleString('en-US')} changes of as many keys within five seconds; windows of an hour, so that each change is a window to write`,
    changes,
    keys: changes,
    spreadMs: 5 * SECOND_MS,
    windowTypes: ['hour'],
    concurrencies: [1, ...MATRIX],
    ...(changes === FEWEST ? {} : { baseline: { millrace: first, plugin: first } }),
  };
}

function pipeline(name: string, keys: number, spreadMs: number, does: string): Scenario {
  return { name, does, changes: 1_000, keys, spreadMs, windowTypes: WINDOW_TYPES, concurrencies: keys === 1 ? [1, 50] : [50] };
}

/** All scenarios, in the order of their tables. */
export const SCENARIOS: readonly Scenario[] = [
  ...PUBLISHED_COUNTS.map(folded),
  ...PUBLISHED_COUNTS.map(scattered),
  {
    name: 'roll-ups',
    does: '24 changes of one key, one in each hour of a day: 24 windows of an hour',
    changes: 24,
    keys: 1,
    spreadMs: DAY_MS,
    windowTypes: ['hour'],
    concurrencies: [1, 50],
  },
  pipeline('pipeline', 1, DAY_MS, '1,000 changes of one key over 24 hours; windows of all types'),
  pipeline('pipeline-10-keys', 10, DAY_MS, '1,000 changes of ten keys over 24 hours; windows of all types, ten times as many'),
  pipeline(
    'pipeline-live',
    10,
    5 * SECOND_MS,
    '1,000 changes of ten keys within five seconds, as a live stream brings them; windows of all types',
  ),
];

/** The scenario of a name. */
export function scenarioOf(name: string): Scenario {
  const found = SCENARIOS.find((scenario) => scenario.name === name);
  if (found === undefined) throw new Error(`there is no scenario "${name}"`);
  return found;
}
