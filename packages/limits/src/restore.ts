import { configKey } from '@millrace/core';
import {
  type Administration,
  applyLevels,
  configOfItem,
  type ItemWrite,
  type LevelChange,
  levelName,
  type StoredConfig,
  sameLimits,
} from '@millrace/limiter/admin';
import type { Live } from './live.js';
import { ManifestLocked } from './lock.js';
import type { Manifest } from './manifest.js';
import type { Plan, PlanChange } from './plan.js';

/** What became of what an apply had changed before it failed, in levels. */
export interface Restored {
  /** They are again as they were before the apply. */
  readonly restored: number;
  /** The apply had not come to them, or they are as they were already. */
  readonly untouched: number;
  /** Somebody else has changed them since; they stay as that one wants them. */
  readonly left: number;
}

/** An apply that failed. */
export interface FailedApply {
  readonly parts: Administration;
  /** The lock of the apply, as it goes into each transaction. */
  readonly guard: () => readonly ItemWrite[];
  readonly manifest: Manifest;
  readonly planned: Plan;
  /** What there was before. */
  readonly live: Live;
  readonly actor: string | undefined;
}

/**
 * Puts back what an apply has changed: limits, the policy, and the marks of both, so that what was set by hand is so again.
 * A level that somebody else has changed since the apply wrote it is left alone. It may end in between like an apply, and
 * may be called again. Costs one read for each hundred levels, and what an apply of as many levels costs.
 *
 * @throws ManifestLocked if another apply has taken over; then nothing more was written
 */
export async function restoreLevels({ parts, guard, manifest, planned, live, actor }: FailedApply): Promise<Restored> {
  const made = planned.changes.filter(({ action }) => action !== 'unchanged');
  const items = await parts.items.get(made.map(({ level }) => configKey(parts.namespaceId, level)));
  const changes = new Map<string, LevelChange>();
  const ways = { restored: 0, untouched: 0, left: 0 };
  for (const [index, change] of made.entries()) {
    const name = levelName(change.level);
    const before = live.levels.get(name)?.stored;
    const way = wayOf(change, before, configOfItem(items[index]), manifest.name);
    ways[way] += 1;
    if (way === 'restored') changes.set(name, { ...changes.get(name), level: change.level, ...asBefore(change, before) });
  }
  const { outcome } = await applyLevels(parts, [...changes.values()], { actor, manifest: manifest.name, guard });
  if (outcome === 'guard-lost') {
    throw new ManifestLocked(
      `another apply of manifest "${manifest.name}" has taken over while this one restored`,
      manifest.name,
      undefined,
    );
  }
  return ways;
}

/** What is to be done about one part of a level, given how it was and how it is now. */
function wayOf(
  change: PlanChange,
  before: StoredConfig | undefined,
  now: StoredConfig | undefined,
  manifest: string,
): 'restored' | 'untouched' | 'left' {
  const isLimits = change.part === 'limits';
  const mark = (config: StoredConfig | undefined): string | undefined => (isLimits ? config?.managedBy : config?.policyManagedBy);
  const same = (value: StoredConfig | undefined, limits: unknown): boolean =>
    isLimits ? sameLimits(value?.limits, limits as StoredConfig['limits']) : value?.onUnavailable === limits;
  if (same(now, isLimits ? before?.limits : before?.onUnavailable) && mark(now) === mark(before)) return 'untouched';
  const isOurs = same(now, change.after) && mark(now) === (change.after === undefined ? undefined : manifest);
  return isOurs ? 'restored' : 'left';
}

function asBefore({ part }: PlanChange, before: StoredConfig | undefined): Omit<LevelChange, 'level'> {
  return part === 'limits'
    ? { limits: before?.limits ?? null, managedBy: before?.managedBy ?? null }
    : { onUnavailable: before?.onUnavailable ?? null, policyManagedBy: before?.policyManagedBy ?? null };
}
