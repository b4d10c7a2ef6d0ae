import type { ConfigLevel, UnavailablePolicy } from '@millrace/core';
import { checkLimitList } from './check-limits.js';
import type { Manifest, ManifestLevel } from './manifest.js';
import type { ManifestIssue, ManifestPath } from './manifest-error.js';
import { Report } from './report.js';

/** A manifest, or what is wrong with it. */
export interface CheckedManifest {
  readonly manifest?: Manifest;
  readonly issues: readonly ManifestIssue[];
}

/** Aliases can make a small text mean any number of levels. */
const MAX_LEVELS = 100_000;

/** Checks what was read, or written in TypeScript, and finds all mistakes in it. */
export function checkManifest(value: unknown): CheckedManifest {
  const report = new Report();
  const source = report.object(value, [], ['$schema', 'name', 'namespace', 'system', 'resources', 'entities'], 'an object with limits');
  const { $schema, name = 'default', namespace, system, resources, entities } = source ?? {};
  if ($schema !== undefined && typeof $schema !== 'string') report.expected(['$schema'], 'a string', $schema);
  report.name(name, 'manifest', ['name']);
  if (namespace !== undefined) report.name(namespace, 'namespace', ['namespace']);
  const levels = new Levels(report);
  const onUnavailable = system === undefined ? undefined : checkSystem(system, levels, report);
  if (resources !== undefined) checkResources(resources, ['resources'], (resource) => ({ level: 'resource', resource }), levels, report);
  if (entities !== undefined) checkEntities(entities, levels, report);
  if (report.count > 0) return { issues: report.issues };
  return {
    manifest: {
      name: name as string,
      ...(namespace === undefined ? {} : { namespace: namespace as string }),
      ...(onUnavailable === undefined ? {} : { onUnavailable }),
      levels: levels.all,
    },
    issues: [],
  };
}

/** Gathers the levels of a manifest, up to the bound. */
class Levels {
  readonly all: ManifestLevel[] = [];
  readonly #report: Report;
  #full = false;

  constructor(report: Report) {
    this.#report = report;
  }

  get full(): boolean {
    return this.#full;
  }

  add(level: ConfigLevel, value: unknown, path: ManifestPath): void {
    if (this.#full) return;
    if (this.all.length === MAX_LEVELS) {
      this.#full = true;
      this.#report.issue(path, `a manifest has at most ${MAX_LEVELS} levels; divide it into several of different names`);
      return;
    }
    const limits = checkLimitList(value, path, this.#report);
    this.all.push({ level, limits: limits ?? [] });
  }
}

function checkSystem(value: unknown, levels: Levels, report: Report): UnavailablePolicy | undefined {
  const system = report.object(value, ['system'], ['onUnavailable', 'limits'], 'an object with limits, onUnavailable or both');
  if (system === undefined) return undefined;
  const { onUnavailable, limits } = system;
  if (limits === undefined && onUnavailable === undefined) report.issue(['system'], 'must have limits, onUnavailable or both');
  if (limits !== undefined) levels.add({ level: 'system' }, limits, ['system', 'limits']);
  if (onUnavailable === undefined || onUnavailable === 'block' || onUnavailable === 'allow') return onUnavailable;
  report.expected(['system', 'onUnavailable'], 'block or allow', onUnavailable);
  return undefined;
}

function checkResources(
  value: unknown,
  path: ManifestPath,
  levelFor: (resource: string) => ConfigLevel,
  levels: Levels,
  report: Report,
): void {
  const resources = report.object(value, path, undefined, 'an object of resources and their limits');
  for (const [resource, limits] of Object.entries(resources ?? {})) {
    if (levels.full) return;
    if (report.name(resource, 'resource', [...path, resource])) levels.add(levelFor(resource), limits, [...path, resource]);
  }
}

function checkEntities(value: unknown, levels: Levels, report: Report): void {
  const entities = report.object(value, ['entities'], undefined, 'an object of entities and their limits');
  for (const [entity, own] of Object.entries(entities ?? {})) {
    if (levels.full) return;
    const path = ['entities', entity];
    if (!report.name(entity, 'entity', path)) continue;
    const parts = report.object(own, path, ['default', 'resources'], 'an object with default, resources or both');
    if (parts === undefined) continue;
    if (parts['default'] === undefined && parts['resources'] === undefined) report.issue(path, 'must have default, resources or both');
    if (parts['default'] !== undefined) levels.add({ level: 'entity-default', entity }, parts['default'], [...path, 'default']);
    if (parts['resources'] === undefined) continue;
    checkResources(parts['resources'], [...path, 'resources'], (resource) => ({ level: 'entity', entity, resource }), levels, report);
  }
}
