import type { ConfigLevel, Limit, UnavailablePolicy } from '@millrace/core';
import { sameLimits } from '@millrace/limiter/admin';
import { readLive } from './live.js';
import type { Manifest } from './manifest.js';
import { type Plan, type PlanChange, plan } from './plan.js';
import type { Reach } from './reach.js';

/**
 * One thing that is not as the manifest says. `missing`: it is not there. `changed`: it is something else. `left-over`:
 * an apply has made it, and the manifest no longer says it. `unmarked`: it is as it should be, but no longer marked as
 * made by an apply, so that a prune would not find it. `taken`: as it should be, but another manifest has it.
 */
export interface Drift {
  readonly kind: 'missing' | 'changed' | 'left-over' | 'unmarked' | 'taken';
  readonly target: string;
  readonly level: ConfigLevel;
  readonly part: PlanChange['part'];
  readonly expected?: readonly Limit[] | UnavailablePolicy;
  readonly found?: readonly Limit[] | UnavailablePolicy;
  /** The other manifest that has it. */
  readonly heldBy?: string;
}

/**
 * What in the table differs from a manifest right now, whoever changed it; empty if and only if the plan has nothing to
 * do. Costs what {@link readLive} costs, and writes nothing.
 */
export async function diffManifest(reach: Reach, manifest: Manifest): Promise<readonly Drift[]> {
  return driftOf(plan(manifest, await readLive(reach, manifest)));
}

/** A plan, told as what is wrong with the table. */
export function driftOf({ changes }: Plan): readonly Drift[] {
  return changes.filter(({ action }) => action !== 'unchanged').map(drift);
}

function drift(change: PlanChange): Drift {
  const { target, level, part, before, after, takenFrom } = change;
  return {
    kind: kindOf(change),
    target,
    level,
    part,
    ...(after === undefined ? {} : { expected: after }),
    ...(before === undefined ? {} : { found: before }),
    ...(takenFrom === undefined ? {} : { heldBy: takenFrom }),
  };
}

function kindOf(change: PlanChange): Drift['kind'] {
  if (change.action === 'create') return 'missing';
  if (change.action === 'delete') return 'left-over';
  const same = change.part === 'limits' ? sameLimits(change.before, change.after) : change.before === change.after;
  if (!same) return 'changed';
  return change.takenFrom === undefined ? 'unmarked' : 'taken';
}
