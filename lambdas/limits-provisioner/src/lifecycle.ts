import { isMillraceError } from '@millrace/core';
import { type Manifest, manifest as makeManifest, type Plan, parseManifest } from '@millrace/limits';
import { type AnswerData, type Outcome, planData } from './answer.js';
import { ApplyFailed, applyInTime, insist, messageOf } from './apply-in-time.js';
import type { OpenPlace, Place, ProvisionerParts } from './ports.js';
import { checkDeletion, checkProperties, isNotCreated, notCreated, type Properties, physicalIdOf, type StackRequest } from './request.js';
import { isHeldBy, readState, type StackState, writeState } from './stack-state.js';
import type { TimeBudget } from './time-budget.js';

/** One request that is being carried out. */
export interface Running {
  readonly parts: ProvisionerParts;
  readonly budget: TimeBudget;
  readonly request: StackRequest;
}

type Deletion = Omit<Properties, 'text'>;

/** What means that there is nothing left that limits could be taken away from. */
const GONE: ReadonlySet<string> = new Set(['TABLE_NOT_FOUND', 'NAMESPACE_NOT_FOUND', 'NAMESPACE_STATE']);

/**
 * Carries out what CloudFormation asks for. It may ask twice: each request says how things shall be, and one that finds
 * them so changes nothing.
 */
export async function carryOut(running: Running): Promise<Outcome> {
  const { request } = running;
  try {
    return request.type === 'Delete' ? await remove(running, request.physicalId ?? '') : await make(running);
  } catch (error) {
    const isClean = !(error instanceof ApplyFailed) || error.isRestored;
    return { ok: false, physicalId: failedId(request, isClean), reason: messageOf(error) };
  }
}

/** Under which name a request failed. An update that did keeps the old name: another one would have the old resource deleted. */
export function failedId(request: StackRequest, isClean: boolean): string {
  if (request.physicalId !== undefined) return request.physicalId;
  let wanted = request.logicalId;
  try {
    wanted = physicalIdOf(checkDeletion(request.properties));
  } catch {
    // The properties may be what is wrong.
  }
  return isClean ? notCreated(wanted) : wanted;
}

async function make(running: Running): Promise<Outcome> {
  const { request, parts } = running;
  const properties = checkProperties(request.properties);
  const manifest = parseManifest(properties.text, { format: 'json' });
  return opened(running, properties, properties.register, async (place) => {
    const former = await readState(place.parts, manifest.name);
    const state: StackState = {
      stackId: request.stackId,
      logicalId: request.logicalId,
      text: properties.text,
      prune: properties.prune,
      appliedAt: new Date(parts.clock.nowMs()),
    };
    const timed = { ...place.parts, items: running.budget.guarded(place.parts.items) };
    // Before the first limit: a deletion that comes after a crash must find whose limits they are.
    await writeState(timed, manifest.name, state);
    const plan = await apply(running, place, manifest, properties).catch(async (error: unknown) => {
      // What could not be told stays to be told by the next request; the limits are what matters.
      if (error instanceof ApplyFailed && error.isRestored) await takeBack(running, () => writeState(timed, manifest.name, former));
      throw error;
    });
    const isOthers = former !== undefined && !isHeldBy(former, request);
    const note = isOthers ? `so far ${former.logicalId} of ${former.stackId} has applied this manifest` : '';
    return succeeded(physicalIdOf(properties), planData(plan, { manifest: manifest.name, namespace: properties.namespace }, note));
  });
}

async function takeBack({ budget, parts }: Running, work: () => Promise<void>): Promise<void> {
  budget.beginRestoring();
  await insist({ budget, sleep: parts.sleep }, work).catch(() => undefined);
}

async function remove(running: Running, physicalId: string): Promise<Outcome> {
  if (isNotCreated(physicalId)) return noted(physicalId, 'it was never created: nothing was changed');
  const { request, parts } = running;
  const properties = checkDeletion(request.properties);
  if (properties.table !== parts.home().table) {
    return noted(physicalId, `this function has access to table "${parts.home().table}" only: the limits in "${properties.table}" stay`);
  }
  try {
    return await opened(running, properties, false, (place) => removeAt(running, place, physicalId, properties));
  } catch (error) {
    if (isMillraceError(error) && GONE.has(error.code)) return noted(physicalId, `there is nothing to remove: ${error.message}`);
    if (properties.onDelete === 'keep') return noted(physicalId, `the limits stay; ${messageOf(error)}`);
    throw error;
  }
}

async function removeAt(running: Running, place: OpenPlace, physicalId: string, properties: Deletion): Promise<Outcome> {
  const { name } = properties;
  const timed = { ...place.parts, items: running.budget.guarded(place.parts.items) };
  const state = await readState(timed, name);
  if (state !== undefined && !isHeldBy(state, running.request)) {
    return noted(physicalId, `manifest "${name}" is applied by ${state.logicalId} of ${state.stackId} now: its limits stay`);
  }
  if (properties.onDelete === 'keep') {
    await writeState(timed, name, undefined);
    return noted(physicalId, 'the limits stay, as the resource says');
  }
  const plan = await apply(running, place, makeManifest({ name }), { ...properties, prune: true });
  await writeState(timed, name, undefined);
  return succeeded(physicalId, planData(plan, { manifest: name, namespace: properties.namespace }));
}

function apply({ parts, budget, request }: Running, place: OpenPlace, manifest: Manifest, { namespace, prune }: Deletion): Promise<Plan> {
  return applyInTime({
    parts: place.parts,
    manifest,
    prune,
    actor: actorOf(request),
    budget,
    sleep: parts.sleep,
    onPlan: (plan) => parts.log({ event: 'plan', request: request.type, manifest: manifest.name, namespace, ...planLog(plan) }),
  });
}

/** So many changes are logged one by one: an entry of a log has a bound, too. */
const MAX_LOGGED = 500;

function planLog({ summary, changes }: Plan): Readonly<Record<string, unknown>> {
  const changed = changes.filter(({ action }) => action !== 'unchanged');
  return { summary, changes: changed.slice(0, MAX_LOGGED), ...(changed.length > MAX_LOGGED ? { more: changed.length - MAX_LOGGED } : {}) };
}

async function opened<T>({ parts, request }: Running, place: Place, register: boolean, work: (place: OpenPlace) => Promise<T>): Promise<T> {
  const open = await parts.open({ table: place.table, namespace: place.namespace }, { register, actor: actorOf(request) });
  try {
    return await work(open);
  } finally {
    await open.close();
  }
}

const MAX_ACTOR_CHARACTERS = 256;

/** Who it is in the audit log: the resource of the stack. */
function actorOf({ stackId, logicalId }: StackRequest): string {
  const stack = stackId.split('/')[1] ?? stackId;
  return `cloudformation ${stack}/${logicalId}`.slice(0, MAX_ACTOR_CHARACTERS);
}

function succeeded(physicalId: string, data: AnswerData): Outcome {
  return { ok: true, physicalId, data };
}

function noted(physicalId: string, note: string): Outcome {
  const none: AnswerData = {
    Manifest: '',
    Namespace: '',
    Created: '0',
    Updated: '0',
    Deleted: '0',
    Unchanged: '0',
    Changes: '',
    Note: note,
  };
  return succeeded(physicalId, none);
}
