import type { Limit } from '@millrace/core';
import type { History } from './history.js';
import type { Scenario } from './scenario.js';

type LimitsByEntity = ReadonlyMap<string, readonly Limit[]>;

/** The limits of each entity, one generation after the other; in a world without changes there is one. */
export function generationsOf({ limits, changes }: Scenario): readonly [LimitsByEntity, ...LimitsByEntity[]] {
  const later = (changes?.later ?? []).map(
    (generation) => new Map([...limits.keys()].map((entity) => [entity, generation.limits] as const)),
  );
  return [limits, ...later];
}

/** For so long a process may go by limits that are no longer stored: it believes what it has read for a minute. */
const BELIEVED_US = 65_000_000;
/** For so long a call may go on with the limits that it was given. */
const UNDER_WAY_US = 8_000_000;

/** The generations by which a process may have sent what arrives at a moment, the newest last. */
export function generationsInUse({ switches }: History, { changes }: Scenario, client: number, atUs: number): readonly number[] {
  const agesUs = changes?.source === 'stored' ? BELIEVED_US : UNDER_WAY_US;
  const inUse = [0];
  for (const { atUs: sinceUs, generation, client: by } of switches) {
    if (sinceUs > atUs || (by !== undefined && by !== client)) continue;
    if (sinceUs < atUs - agesUs) inUse.length = 0;
    inUse.push(generation);
  }
  return inUse;
}
