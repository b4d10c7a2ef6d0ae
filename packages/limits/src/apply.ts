import { randomUUID } from 'node:crypto';
import { checkInteger, checkKeys, checkName, ValidationError } from '@millrace/core';
import { type Administration, applyLevels, checkActor, type LevelChange } from '@millrace/limiter/admin';
import { readLevels } from './live.js';
import { ManifestLock, ManifestLocked } from './lock.js';
import type { Manifest } from './manifest.js';
import { type Plan, type PlanChange, type PlanOptions, plan } from './plan.js';
import { administrationAt, type Reach } from './reach.js';
import { type Restored, restoreLevels } from './restore.js';

/** How a manifest is applied. */
export interface ApplyOptions extends PlanOptions {
  /** Who does it, for the audit log. @default the limiter's option `actor` */
  readonly actor?: string;
  /** Who holds the lock; the same one may go on at once after a crash. @default a name that nobody else has */
  readonly owner?: string;
  /** Apply even if another apply holds the lock: it will write nothing more. @default false */
  readonly takeOver?: boolean;
  /** After how long without a sign of life an apply counts as dead, in milliseconds. @default 60000 */
  readonly leaseMs?: number;
  /** Called with the plan, made under the lock, before anything is written; what it throws ends the apply. */
  readonly onPlan?: (plan: Plan) => void;
  /** Called before the first write and after each transaction. */
  readonly onProgress?: (progress: ApplyProgress) => void;
  /**
   * Called when the apply fails while it writes, still under the lock, and waited for; then the failure is thrown. `restore`
   * puts back what the apply has changed, and may be called again if it fails, too. It is not called when another apply has
   * taken over: that one decides now. @default what was written stays, and the next apply does the rest
   */
  readonly onFailure?: (failure: unknown, restore: () => Promise<Restored>) => Promise<void>;
}

/** How far an apply has come, in levels. */
export interface ApplyProgress {
  readonly done: number;
  readonly total: number;
}

const KEYS: readonly (keyof ApplyOptions)[] = ['prune', 'actor', 'owner', 'takeOver', 'leaseMs', 'onPlan', 'onProgress', 'onFailure'];
const HOUR_MS = 3_600_000;

/**
 * Makes the table as a manifest says, and tells what it did. At any moment at most one apply of a manifest writes.
 *
 * Each transaction holds some twenty levels with their marks, links and events, all or nothing. An apply that ends
 * anywhere in between leaves levels that are either as before or as they should be; the next one does the rest. It may
 * start at once with the same `owner` or `takeOver`, or else when the lock has expired.
 *
 * Costs what {@link readLive} costs, three requests for the lock, one read for each hundred changes, and one transaction
 * for about twenty.
 *
 * @throws ManifestLocked (`CONFLICT`) if another apply holds the lock, or has taken it over; `holder` says who
 */
export async function applyManifest(reach: Reach, manifest: Manifest, options: ApplyOptions = {}): Promise<Plan> {
  const parts = administrationAt(reach);
  const checked = checkApply(parts, options);
  return parts.run('apply a manifest', async () => {
    const lock = await ManifestLock.take(parts, manifest.name, checked);
    try {
      return await applyUnder(lock, parts, manifest, checked);
    } finally {
      // It expires by itself: that it could not be given back must not hide what was done, or what went wrong.
      await lock.release().catch(() => undefined);
    }
  });
}

type CheckedOptions = ReturnType<typeof checkApply>;

async function applyUnder(lock: ManifestLock, parts: Administration, manifest: Manifest, options: CheckedOptions): Promise<Plan> {
  const { prune, onPlan, onFailure } = options;
  const live = await readLevels(parts, manifest);
  const planned = plan(manifest, live, { prune });
  onPlan?.(planned);
  try {
    await write(lock, parts, manifest, planned, options);
  } catch (failure) {
    const mayRestore = onFailure !== undefined && !(failure instanceof ManifestLocked);
    if (mayRestore) {
      await onFailure(failure, () => restoreLevels({ parts, guard: () => lock.guard(), manifest, planned, live, actor: options.actor }));
    }
    throw failure;
  }
  return planned;
}

async function write(
  lock: ManifestLock,
  parts: Administration,
  manifest: Manifest,
  planned: Plan,
  { actor, onProgress }: CheckedOptions,
): Promise<void> {
  const changes = levelChanges(planned.changes);
  const total = changes.length;
  onProgress?.({ done: 0, total });
  const { outcome, done } = await applyLevels(parts, changes, {
    actor,
    manifest: manifest.name,
    guard: () => lock.guard(),
    onProgress: (count) => onProgress?.({ done: count, total }),
  });
  if (outcome === 'done') return;
  const what = `the apply of manifest "${manifest.name}" was taken over after ${done} of ${total} changes`;
  throw new ManifestLocked(what, manifest.name, await lock.holder());
}

/** What to write. Limits and policy of the system lie on one item, so they are one change. */
function levelChanges(changes: readonly PlanChange[]): readonly LevelChange[] {
  const byTarget = new Map<string, LevelChange>();
  for (const { action, target, level, part, after } of changes) {
    if (action === 'unchanged') continue;
    const name = level.level === 'system' ? 'system' : target;
    byTarget.set(name, { ...byTarget.get(name), level, [part]: after ?? null });
  }
  return [...byTarget.values()];
}

function checkApply(parts: Administration, options: ApplyOptions) {
  checkKeys('options', options, KEYS);
  const { actor, prune = true, owner = randomUUID(), takeOver = false, leaseMs = 60_000, onPlan, onProgress, onFailure } = options;
  for (const [name, value] of Object.entries({ prune, takeOver })) {
    if (typeof value !== 'boolean') throw new ValidationError(`option "${name}"`, 'true or false', value);
  }
  for (const [name, value] of Object.entries({ onPlan, onProgress, onFailure })) {
    if (value !== undefined && typeof value !== 'function') throw new ValidationError(`option "${name}"`, 'a function', value);
  }
  return {
    actor: checkActor(parts, actor === undefined ? {} : { actor }),
    prune,
    owner: checkName('owner', owner),
    takeOver,
    leaseMs: checkInteger('option "leaseMs"', leaseMs, 1_000, 24 * HOUR_MS),
    onPlan,
    onProgress,
    onFailure,
  };
}
