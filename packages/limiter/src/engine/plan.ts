import { type BucketRef, bucketName, knowsLimit, type Limit, type ResolvedConfig, ValidationError } from '@millrace/core';
import { EntityDisabled, namespaceClosed } from './errors.js';
import { type Amounts, type Level, type LevelMode, type LimitSource, levelFor } from './level.js';
import type { Request } from './request.js';
import type { Resolution } from './resolver.js';

const NO_LIMITS: readonly Limit[] = [];

interface Place {
  readonly ref: BucketRef;
  readonly bucket: string;
}

/** Where buckets are. */
export interface BucketPlaces {
  readonly namespaceId: string;
}

/**
 * The buckets that an acquire takes from, the entity's own first.
 *
 * Limits that the call brought override what is stored. With them, the entity must have every limit that is asked of;
 * an ancestor takes part with those that it has: a project may limit tokens and leave requests to its keys. With stored
 * limits, a name that some level knows but that does not hold here is not limited, and one that no level ever had is a
 * mistake of the caller.
 */
export function planLevels(places: BucketPlaces, request: Request, resolution: Resolution, amounts: Amounts, waitMs = 0): readonly Level[] {
  const { entity, resource, limitsOf } = request;
  const all = chargedIn(entity, resolution, limitsOf);
  if (resolution.own.closed) {
    throw namespaceClosed(places.namespaceId);
  }
  // Here and below by index: this is done for each acquire, and an interpreter without a compiler pays for an iterator's steps.
  for (let index = 0; index < all.length; index += 1) {
    const charged = all[index] as Charged;
    const { mode, reason } = charged.resolved.control;
    if (mode === 'disabled') throw new EntityDisabled(charged.name, reason);
  }
  if (limitsOf === undefined) {
    checkStored(request, all, amounts);
  } else {
    for (const charged of all) charged.limits = limitsOf(charged.name);
    checkHandedIn(request, all[0]?.limits, amounts);
  }

  const levels: Level[] = [];
  for (let index = 0; index < all.length; index += 1) {
    const { name, resolved, limits } = all[index] as Charged;
    // The entity's own level is there also where it has no limits: a lease is about it.
    if (limits === undefined && index > 0) continue;
    const { ref, bucket } = placeOf(places.namespaceId, name, resource, resolved);
    const mode = modeOf(resolved);
    // What is never refused has nothing to wait for.
    const waitUs = mode === 'enforce' ? waitMs * 1_000 : 0;
    const { version: configVersion } = resolved;
    const stored = limitsOf === undefined ? resolved : undefined;
    levels.push(levelFor({ ref, bucket, limits: limits ?? NO_LIMITS, configVersion, mode, waitUs, stored }, amounts));
  }
  return levels;
}

/** The entity and its ancestors, with the limits that are stored for them unless the call brought its own. */
function chargedIn(entity: string, { own, ancestors }: Resolution, limitsOf: LimitSource | undefined): readonly Charged[] {
  const isStored = limitsOf === undefined;
  const all: Charged[] = [{ name: entity, resolved: own, limits: isStored ? own.limits : undefined }];
  if (ancestors.size === 0) return all;
  for (const [name, resolved] of ancestors) all.push({ name, resolved, limits: isStored ? resolved.limits : undefined });
  return all;
}

/** An entity that takes part in a request, and the limits that hold for it. */
interface Charged {
  readonly name: string;
  readonly resolved: ResolvedConfig;
  limits: readonly Limit[] | undefined;
}

const known = new WeakMap<ResolvedConfig, Place>();

/** Where a level's bucket is: named once for what holds there, which lasts for many requests. */
function placeOf(namespaceId: string, entity: string, resource: string, resolved: ResolvedConfig): Place {
  let place = known.get(resolved);
  if (place === undefined) {
    const ref = { namespaceId, entity, resource, shard: 0 };
    place = { ref, bucket: bucketName(ref) };
    known.set(resolved, place);
  }
  return place;
}

function modeOf({ control }: ResolvedConfig): LevelMode {
  return control.mode === 'disabled' ? 'enforce' : control.mode;
}

function checkHandedIn({ entity, resource }: Request, own: readonly Limit[] | undefined, amounts: Amounts): void {
  if (own === undefined) {
    throw new ValidationError(`limits of "${entity}" on "${resource}"`, 'given by the function in option "limits"', undefined);
  }
  const missing = Object.keys(amounts).find((name) => own.every((limit) => limit.name !== name));
  if (missing !== undefined) throw unknownLimit(entity, resource, own, missing);
}

function checkStored({ entity, resource }: Request, all: readonly Charged[], amounts: Amounts): void {
  if (all.every(({ limits }) => limits === undefined)) {
    throw new ValidationError(
      `limits of "${entity}" on "${resource}"`,
      'stored for the entity, the resource or the system, or handed in with the call',
      undefined,
    );
  }
  const names = Object.keys(amounts);
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] as string;
    if (isKnown(all, name)) continue;
    throw unknownLimit(
      entity,
      resource,
      all.flatMap(({ limits }) => limits),
      name,
    );
  }
}

function isKnown(all: readonly Charged[], name: string): boolean {
  const own = all[0]?.limits ?? NO_LIMITS;
  // Nearly always it is one of those that hold.
  for (let index = 0; index < own.length; index += 1) if (own[index]?.name === name) return true;
  return all.some(({ resolved }) => knowsLimit(resolved, name));
}

function unknownLimit(entity: string, resource: string, known: readonly (Limit | undefined)[], missing: string): ValidationError {
  const names = new Set(known.flatMap((limit) => limit?.name ?? []));
  return new ValidationError(`limit of "${entity}" on "${resource}"`, `one of ${[...names].join(', ')}`, missing);
}
