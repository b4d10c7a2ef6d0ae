import { type ConfigLevel, Limit } from '@millrace/core';
import type { Manifest, ManifestLevel } from './manifest.js';

type Written = string | Readonly<Record<string, unknown>>;
type LevelOf<Kind extends ConfigLevel['level']> = ManifestLevel & { readonly level: Extract<ConfigLevel, { level: Kind }> };

/** The periods that have a short form. */
const PERIODS_MS: ReadonlySet<number> = new Set([1_000, 60_000, 3_600_000, 86_400_000]);

/**
 * A manifest as JSON, in one form only: the same manifest gives the same bytes, however it was written, and
 * {@link parseManifest} reads it back. For what hands manifests over: a template, a hash, an item.
 */
export function writeManifest({ name, namespace, onUnavailable, levels }: Manifest): string {
  const system = limitsOf(levels.find(({ level }) => level.level === 'system'));
  const resources = sorted(ofKind(levels, 'resource').map((found) => [found.level.resource, limitsOf(found)]));
  const entities = entitiesOf(levels);
  const hasSystem = system !== undefined || onUnavailable !== undefined;
  return JSON.stringify({
    name,
    namespace,
    system: hasSystem ? { onUnavailable, limits: system } : undefined,
    resources: resources.length > 0 ? Object.fromEntries(resources) : undefined,
    entities: entities.length > 0 ? Object.fromEntries(entities) : undefined,
  });
}

function entitiesOf(levels: readonly ManifestLevel[]): readonly [string, unknown][] {
  const own = new Map<string, { default?: unknown; resources: [string, unknown][] }>();
  const of = (entity: string) => {
    const found = own.get(entity) ?? { resources: [] };
    own.set(entity, found);
    return found;
  };
  for (const found of ofKind(levels, 'entity-default')) of(found.level.entity).default = limitsOf(found);
  for (const found of ofKind(levels, 'entity')) of(found.level.entity).resources.push([found.level.resource, limitsOf(found)]);
  return sorted(
    [...own].map(([entity, { default: limits, resources }]) => [
      entity,
      { default: limits, resources: resources.length > 0 ? Object.fromEntries(sorted(resources)) : undefined },
    ]),
  );
}

function ofKind<Kind extends ConfigLevel['level']>(levels: readonly ManifestLevel[], kind: Kind): readonly LevelOf<Kind>[] {
  return levels.filter((found): found is LevelOf<Kind> => found.level.level === kind);
}

/** Limits by name, since their order means nothing. */
function limitsOf(level: ManifestLevel | undefined): readonly Written[] | undefined {
  return level && [...level.limits].sort((a, b) => (a.name < b.name ? -1 : 1)).map(limitOf);
}

/** The short form where it says all there is, as that is what people read in a template. */
function limitOf(limit: Limit): Written {
  const short = PERIODS_MS.has(limit.periodMs) ? Limit.format(limit) : undefined;
  if (short !== undefined && Limit.parse(short).reserve === limit.reserve) return short;
  const { name, refill, periodMs, capacity, reserve } = limit;
  return { name, refill, periodMs, capacity, reserve };
}

function sorted<T>(entries: readonly (readonly [string, T])[]): [string, T][] {
  return entries.map(([key, value]): [string, T] => [key, value]).sort(([a], [b]) => (a < b ? -1 : 1));
}
