import { type ConfigLevel, checkKeys, type Limit, type UnavailablePolicy, ValidationError } from '@millrace/core';
import { levelName, sameLimits } from '@millrace/limiter/admin';
import type { Live } from './live.js';
import type { Manifest } from './manifest.js';

/** What an apply does to one target. */
export type PlanAction = 'create' | 'update' | 'delete' | 'unchanged';

interface AnyChange {
  readonly action: PlanAction;
  /** A level's name (`system`, `resource/…`, `entity/…`, `entity/…/…`), or `system/on-unavailable`. */
  readonly target: string;
  readonly level: ConfigLevel;
  /** Another manifest whose apply has made it; an apply of this one takes it over. */
  readonly takenFrom?: string;
}

/** One target of a manifest, or of what its applies have made: how it is, and how it shall be. */
export type PlanChange =
  | (AnyChange & { readonly part: 'limits'; readonly before?: readonly Limit[]; readonly after?: readonly Limit[] })
  | (AnyChange & { readonly part: 'onUnavailable'; readonly before?: UnavailablePolicy; readonly after?: UnavailablePolicy });

/** What an apply would do. */
export interface Plan {
  /** In the order of the manifest; what is deleted comes last. */
  readonly changes: readonly PlanChange[];
  readonly summary: Readonly<Record<PlanAction, number>>;
}

/** How a plan is made. */
export interface PlanOptions {
  /** Whether to delete what earlier applies of the manifest have made and it no longer says. @default true */
  readonly prune?: boolean;
}

const POLICY_TARGET = 'system/on-unavailable';

/**
 * Compares a manifest with the table. What is as the manifest says is unchanged, whoever made it, in whatever order the
 * limits are; only what has the mark of this manifest is ever deleted. What another manifest has made and this one says,
 * too, is taken over: two manifests that say the same never have empty plans both, so that the mistake shows.
 */
export function plan(manifest: Manifest, live: Live, options: PlanOptions = {}): Plan {
  const prune = checkPrune(options);
  const policy = policyChange(manifest, live);
  const all = [
    ...manifest.levels.map(({ level, limits }) => limitsChange(manifest, live, level, limits)),
    ...(policy === undefined ? [] : [policy]),
    ...leftOver(manifest, live),
  ];
  const kept = prune ? all : all.filter(({ action }) => action !== 'delete');
  // What is taken away goes last: while an apply runs, no entity falls to a lower level before the new ones are there.
  const changes = [...kept.filter(({ action }) => action !== 'delete'), ...kept.filter(({ action }) => action === 'delete')];
  const summary = { create: 0, update: 0, delete: 0, unchanged: 0 };
  for (const { action } of changes) summary[action] += 1;
  return { changes, summary };
}

/** Checks the options of a plan; true to prune. */
function checkPrune(options: PlanOptions): boolean {
  checkKeys('options', options, ['prune']);
  const { prune = true } = options;
  if (typeof prune !== 'boolean') throw new ValidationError('option "prune"', 'true or false', prune);
  return prune;
}

function limitsChange(manifest: Manifest, live: Live, level: ConfigLevel, after: readonly Limit[]): PlanChange {
  const target = levelName(level);
  const { stored, listed = false } = live.levels.get(target) ?? {};
  const { limits: before, managedBy: owner } = stored ?? {};
  // Limits that were set by hand and are as they should be stay so; those whose mark was taken off get it back.
  const mine = owner === manifest.name || (owner === undefined && !listed);
  const action = before === undefined ? 'create' : sameLimits(before, after) && mine ? 'unchanged' : 'update';
  return { action, target, level, part: 'limits', ...takenFrom(manifest, owner), ...(before === undefined ? {} : { before }), after };
}

function policyChange(manifest: Manifest, live: Live): PlanChange | undefined {
  const { onUnavailable: before, policyManagedBy: owner } = live.levels.get('system')?.stored ?? {};
  const { onUnavailable: after } = manifest;
  const common = { target: POLICY_TARGET, level: { level: 'system' }, part: 'onUnavailable' } as const;
  if (after !== undefined) {
    const mine = owner === manifest.name || owner === undefined;
    const action = before === undefined ? 'create' : before === after && mine ? 'unchanged' : 'update';
    return { ...common, action, ...takenFrom(manifest, owner), ...(before === undefined ? {} : { before }), after };
  }
  return before !== undefined && owner === manifest.name ? { ...common, action: 'delete', before } : undefined;
}

function leftOver(manifest: Manifest, live: Live): readonly PlanChange[] {
  const said = new Set(manifest.levels.map(({ level }) => levelName(level)));
  return [...live.levels].flatMap(([target, { level, stored }]): PlanChange[] => {
    if (said.has(target) || stored?.limits === undefined || stored.managedBy !== manifest.name) return [];
    return [{ action: 'delete', target, level, part: 'limits', before: stored.limits }];
  });
}

function takenFrom(manifest: Manifest, owner: string | undefined): { readonly takenFrom?: string } {
  return owner === undefined || owner === manifest.name ? {} : { takenFrom: owner };
}
