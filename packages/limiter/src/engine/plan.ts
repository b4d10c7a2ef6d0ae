import { type BucketRef, bucketName, knowsLimit, type Limit, MillraceError, type ResolvedConfig, ValidationError } from '@millrace/core';
import { EntityDisabled } from './errors.js';
import { type Amounts, type Level, type LevelMode, levelFor } from './level.js';
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
  const all: readonly (readonly [string, ResolvedConfig])[] = [[entity, resolution.own], ...resolution.ancestors];
  if (resolution.own.closed) {
    throw new MillraceError('NAMESPACE_STATE', 'the namespace of this limiter was deleted; recover it, or open another one');
  }
  for (const [name, { control }] of all) if (control.mode === 'disabled') throw new EntityDisabled(name, control.reason);

  const limits = all.map(([name, resolved]) => (limitsOf === undefined ? resolved.limits : limitsOf(name)));
  if (limitsOf === undefined) checkStored(request, all, limits, amounts);
  else checkHandedIn(request, limits[0], amounts);

  return all.flatMap(([name, resolved], index): Level | readonly Level[] => {
    const held = limits[index];
    // The entity's own level is there also where it has no limits: a lease is about it.
    if (held === undefined && index > 0) return [];
    const place = placeOf(places.namespaceId, name, resource, resolved);
    const mode = modeOf(resolved);
    // What is never refused has nothing to wait for.
    const waitUs = mode === 'enforce' ? waitMs * 1_000 : 0;
    const { version: configVersion } = resolved;
    const stored = limitsOf === undefined ? resolved : undefined;
    return levelFor({ ref: place.ref, bucket: place.bucket, limits: held ?? NO_LIMITS, configVersion, mode, waitUs, stored }, amounts);
  });
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

function checkStored(
  { entity, resource }: Request,
  all: readonly (readonly [string, ResolvedConfig])[],
  limits: readonly (readonly Limit[] | undefined)[],
  amounts: Amounts,
): void {
  if (limits.every((held) => held === undefined)) {
    throw new ValidationError(
      `limits of "${entity}" on "${resource}"`,
      'stored for the entity, the resource or the system, or handed in with the call',
      undefined,
    );
  }
  const missing = Object.keys(amounts).find((name) => !all.some(([, resolved]) => knowsLimit(resolved, name)));
  if (missing !== undefined) throw unknownLimit(entity, resource, limits.flat(), missing);
}

function unknownLimit(entity: string, resource: string, known: readonly (Limit | undefined)[], missing: string): ValidationError {
  const names = new Set(known.flatMap((limit) => limit?.name ?? []));
  return new ValidationError(`limit of "${entity}" on "${resource}"`, `one of ${[...names].join(', ')}`, missing);
}
