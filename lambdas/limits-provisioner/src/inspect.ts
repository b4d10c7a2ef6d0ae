import { checkKeys, checkName, ValidationError } from '@millrace/core';
import { type Drift, driftOf, type Manifest, type Plan, type PlanChange, parseManifest, plan, readLive } from '@millrace/limits';
import type { ProvisionerParts } from './ports.js';
import { readState, type StackState } from './stack-state.js';
import type { TimeBudget } from './time-budget.js';

/** What the function may be asked by whoever may invoke it. It writes nothing. */
export interface InspectRequest {
  /** `drift`: what in the table is not as it should be. `plan`: what an apply would do. */
  readonly action: 'drift' | 'plan';
  /** Text of a manifest to compare with. @default what the stack has last applied */
  readonly manifest?: string;
  /** @default that of the construct, or the one that the given manifest names */
  readonly namespace?: string;
  /** Whether what the manifest no longer says counts. @default as the stack has it; true beside `manifest` */
  readonly prune?: boolean;
}

/** How the table compares with a manifest. */
export interface InspectReport {
  readonly action: InspectRequest['action'];
  readonly table: string;
  readonly namespace: string;
  readonly manifest: string;
  /** Whether all is as the manifest says. */
  readonly inSync: boolean;
  readonly summary: Plan['summary'];
  /** Only for `drift`. */
  readonly drift?: readonly Drift[];
  /** Only for `plan`: what would change. */
  readonly changes?: readonly PlanChange[];
  /** Who has applied what it was compared with; absent for a manifest that was given. */
  readonly applied?: { readonly stackId: string; readonly logicalId: string; readonly at: string };
}

/** Compares the table with a manifest. Costs what `readLive` costs, and one or two reads more. */
export async function inspect(event: unknown, parts: ProvisionerParts, budget: TimeBudget): Promise<InspectReport> {
  const request = checkInspect(event);
  const given = request.manifest === undefined ? undefined : parseManifest(request.manifest);
  const home = parts.home();
  const place = { table: home.table, namespace: request.namespace ?? given?.namespace ?? home.namespace };
  const open = await parts.open(place, { register: false, actor: 'limits-provisioner' });
  try {
    const timed = { ...open.parts, items: budget.guarded(open.parts.items) };
    const state = given === undefined ? await appliedState(timed, home.manifest) : undefined;
    const manifest = given ?? parseManifest((state as StackState).text);
    const prune = request.prune ?? state?.prune ?? true;
    return reportOf(request, { place, manifest, state, planned: plan(manifest, await readLive(timed, manifest), { prune }) });
  } finally {
    await open.close();
  }
}

async function appliedState(parts: Parameters<typeof readState>[0], manifest: string): Promise<StackState> {
  const state = await readState(parts, manifest);
  if (state === undefined) throw new ValidationError('manifest', 'given, as no stack has applied one yet', manifest);
  return state;
}

interface Compared {
  readonly place: { readonly table: string; readonly namespace: string };
  readonly manifest: Manifest;
  readonly state: StackState | undefined;
  readonly planned: Plan;
}

function reportOf({ action }: InspectRequest, { place, manifest, state, planned }: Compared): InspectReport {
  const changes = planned.changes.filter(({ action: what }) => what !== 'unchanged');
  return {
    action,
    ...place,
    manifest: manifest.name,
    inSync: changes.length === 0,
    summary: planned.summary,
    ...(action === 'drift' ? { drift: driftOf(planned) } : { changes }),
    ...(state === undefined ? {} : { applied: { stackId: state.stackId, logicalId: state.logicalId, at: state.appliedAt.toISOString() } }),
  };
}

function checkInspect(event: unknown): InspectRequest {
  checkKeys('event', event, ['action', 'manifest', 'namespace', 'prune']);
  const { action, manifest, namespace, prune } = event as Readonly<Record<string, unknown>>;
  if (action !== 'drift' && action !== 'plan') throw new ValidationError('event field action', '"drift" or "plan"', action);
  if (manifest !== undefined && typeof manifest !== 'string') throw new ValidationError('event field manifest', 'text', manifest);
  if (prune !== undefined && typeof prune !== 'boolean') throw new ValidationError('event field prune', 'true or false', prune);
  return {
    action,
    ...(manifest === undefined ? {} : { manifest }),
    ...(namespace === undefined ? {} : { namespace: checkName('namespace', namespace) }),
    ...(prune === undefined ? {} : { prune }),
  };
}
