import { REGISTRY_PARTITION, WINDOW_INDEX } from '@millrace/core';
import type { Permit } from './permit.js';

/** What the aggregator does beside keeping the ledger. */
export interface AggregatorDuties {
  readonly watchesThresholds: boolean;
  readonly seals: boolean;
  /** Whether it checks the ledger of the days that it seals. */
  readonly checks: boolean;
}

const [BUCKETS, WINDOWS, WINDOWS_OF_EVENTS] = ['*/b/*', '*/u/*', '*/uv/*'];
const [ENTITIES, RESOURCES, SYSTEM, ZONES] = ['*/e/*', '*/r/*', '*/s', '*/z'];
const [MARKS, UNCHECKED, SEALS, PLACE] = ['*/open', '*/unchecked', '*/seal/*', '_/seals'];
const AUDIT = ['*/a', '*/a/*'];

/**
 * What the aggregator does with the table, in all namespaces: the actions that it sends, on the keys that it sends them for.
 * A test records both, and fails for one that is missing as for one too many. It can neither change limits nor delete usage.
 */
export function aggregatorPermits({ watchesThresholds, seals, checks }: AggregatorDuties): readonly Permit[] {
  return [
    // A namespace's zone is read once, a window is one conditional write, and so is a hint on a bucket that is hot.
    { actions: ['GetItem'], keys: [ZONES] },
    { actions: ['UpdateItem'], keys: [WINDOWS, WINDOWS_OF_EVENTS, BUCKETS] },
    ...(watchesThresholds ? THRESHOLDS : []),
    ...(seals ? SEALING : []),
    ...(checks ? CHECKING : []),
  ];
}

/** The limits, and what was used so far. */
const THRESHOLDS: readonly Permit[] = [
  { actions: ['BatchGetItem'], keys: [ENTITIES, RESOURCES, SYSTEM] },
  { actions: ['Query'], keys: [WINDOWS] },
];

/** It goes over the namespaces and what is marked in them, reads all windows of a period, and writes a seal and its event. */
const SEALING: readonly Permit[] = [
  { actions: ['Query'], keys: [REGISTRY_PARTITION, MARKS] },
  { actions: ['Query'], keys: ['*/w/*'], index: WINDOW_INDEX },
  { actions: ['BatchGetItem'], keys: [PLACE, ZONES, SEALS, WINDOWS] },
  { actions: ['PutItem'], keys: [MARKS, PLACE, SEALS, ...AUDIT] },
  { actions: ['BatchWriteItem'], keys: [MARKS, PLACE] },
];

/**
 * A mark takes the place of another, keeps how far the check of a day has come, and goes; the windows of each entity are read, and its
 * bucket.
 */
const CHECKING: readonly Permit[] = [
  { actions: ['Query'], keys: [UNCHECKED, WINDOWS] },
  { actions: ['BatchGetItem'], keys: [BUCKETS] },
  { actions: ['PutItem'], keys: [UNCHECKED] },
  { actions: ['DeleteItem'], keys: [MARKS, UNCHECKED] },
];
