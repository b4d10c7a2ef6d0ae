import { checkInteger, checkKeys, checkName, type UsageSource, ValidationError, WINDOW_TYPES, type WindowType } from '@millrace/core';
import type { ActorOptions } from '../admin/administration.js';
import { checkProgress } from '../admin/purge.js';
import type { UsageFinding } from './examine.js';
import { checkMoment, checkSource, checkWindowType, type LimitUsage, type SourceOptions } from './usage-parts.js';

/** How far a verification has come. */
export interface UsageProgress {
  /** Entities looked at so far. */
  readonly entities: number;
  /** Windows read so far. */
  readonly windows: number;
  /** What was found so far. */
  readonly findings: number;
}

/** What is to be verified. */
export interface VerifyUsageOptions extends SourceOptions {
  /** Must be given for the windows of events. @default every entity of the namespace: that reads the whole table */
  readonly entity?: string;
  /** @default every resource */
  readonly resource?: string;
  /** When the ledger began: of buckets that are older it is not expected to know the beginning. @default it was always there */
  readonly since?: Date;
  /** The types of windows that the aggregator keeps. @default all */
  readonly types?: readonly WindowType[];
  /**
   * For how long something must be wrong before it is told, from 0 to 600,000. What is being booked looks wrong for a
   * moment, so whatever seems wrong is looked at once more after this time. @default 5,000
   */
  readonly settleMs?: number;
  /** Called after each entity. What it throws ends the work, of which nothing has to be undone. */
  readonly onProgress?: (progress: UsageProgress) => void;
}

/** What is to be repaired: the same, and who does it. */
export interface RepairUsageOptions extends VerifyUsageOptions, ActorOptions {}

/** What a bucket has counted and the ledger has not yet: it is on its way, until it has been so for a day, and is a finding. */
export interface UsageInFlight extends LimitUsage {
  readonly entity: string;
  readonly resource: string;
  readonly limit: string;
  readonly shard: number;
}

/** What a verification came to. */
export interface UsageVerdict extends UsageProgress {
  /** Whether nothing is wrong. What is in flight is not wrong. */
  readonly clean: boolean;
  /** What is wrong, the first thousand; `findings` counts all. */
  readonly found: readonly UsageFinding[];
  /** What is in flight, the first thousand. */
  readonly inFlight: readonly UsageInFlight[];
}

/** What a repair came to. */
export interface UsageRepair extends UsageProgress {
  /** Whether all that was wrong was repaired. */
  readonly clean: boolean;
  /** How many findings were booked. */
  readonly repairedCount: number;
  /** What was booked, the first thousand. */
  readonly repaired: readonly UsageFinding[];
  /** What nothing could be booked for, the first thousand. */
  readonly left: readonly UsageFinding[];
}

export interface CheckedTrust {
  readonly entity: string | undefined;
  readonly resource: string | undefined;
  readonly sinceMs: number;
  readonly types: readonly WindowType[];
  readonly settleMs: number;
  readonly onProgress: VerifyUsageOptions['onProgress'];
  readonly source: UsageSource;
}

export function checkTrust(options: VerifyUsageOptions): CheckedTrust {
  checkKeys('options', options, ['entity', 'resource', 'since', 'types', 'settleMs', 'onProgress', 'source']);
  const source = checkSource(options);
  const { entity, resource, since, types = WINDOW_TYPES, settleMs = 5_000, onProgress } = options;
  if (entity === undefined && source === 'events')
    throw new ValidationError('option "entity"', 'given for the windows of events, which are looked at an entity at a time', entity);
  if (entity !== undefined) checkName('entity', entity);
  if (resource !== undefined) checkName('resource', resource);
  if (!Array.isArray(types) || types.length === 0)
    throw new ValidationError('option "types"', `a list of at least one of ${WINDOW_TYPES.join(', ')}`, types);
  checkProgress(onProgress);
  return {
    entity,
    resource,
    sinceMs: since === undefined ? 0 : checkMoment('since', since),
    types: types.map((type) => checkWindowType(type, 'types')),
    settleMs: checkInteger('option "settleMs"', settleMs, 0, 600_000),
    onProgress,
    source,
  };
}
