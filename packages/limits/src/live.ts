import { ATTRIBUTE, type ConfigLevel, configKey, namespaceKey, ValidationError } from '@millrace/core';
import { type Administration, configOfItem, levelName, managedLevels, type StoredConfig } from '@millrace/limiter/admin';
import type { Manifest } from './manifest.js';
import { administrationAt, type Reach } from './reach.js';

/** What the table holds of all that a manifest is about: the levels in it, and those that its applies have made. */
export interface Live {
  /** By the names of the levels. */
  readonly levels: ReadonlyMap<string, LiveLevel>;
}

/** A level as it is in the table. */
export interface LiveLevel {
  readonly level: ConfigLevel;
  /** Absent where there is no such item. */
  readonly stored?: StoredConfig;
  /** Whether it is in the list of what the manifest's applies have made. */
  readonly listed: boolean;
}

const SYSTEM: ConfigLevel = { level: 'system' };

/**
 * Reads what a manifest is to be compared with. One read for each thousand levels that were made by it, and one for each
 * hundred levels of either.
 *
 * @throws ValidationError if the manifest is for another namespace
 */
export function readLive(reach: Reach, manifest: Manifest): Promise<Live> {
  const parts = administrationAt(reach);
  return parts.run('read limits', () => readLevels(parts, manifest));
}

/** The same, within a running operation. */
export async function readLevels(parts: Administration, manifest: Manifest): Promise<Live> {
  const { items, namespaceId } = parts;
  const listed = await managedLevels(items, namespaceId, manifest.name);
  const made = new Set(listed.map(levelName));
  // The system's item is read in any case: the policy on it has a mark, but no link.
  const wanted = new Map([SYSTEM, ...manifest.levels.map(({ level }) => level), ...listed].map((level) => [levelName(level), level]));
  const keys = [...wanted.values()].map((level) => configKey(namespaceId, level));
  const namespace = manifest.namespace === undefined ? [] : [namespaceKey(manifest.namespace)];
  const found = await items.get([...keys, ...namespace]);
  if (namespace.length > 0) checkNamespace(manifest, found[keys.length]?.[ATTRIBUTE.namespaceId], namespaceId);
  const levels = [...wanted].map(([name, level], index): [string, LiveLevel] => {
    const stored = configOfItem(found[index]);
    return [name, { level, ...(stored === undefined ? {} : { stored }), listed: made.has(name) }];
  });
  return { levels: new Map(levels) };
}

/** A manifest that says where it belongs is applied nowhere else, whatever namespace a tool was told. */
function checkNamespace(manifest: Manifest, id: unknown, namespaceId: string): void {
  if (id !== namespaceId) {
    throw new ValidationError('namespace of the manifest', 'that of the limiter which applies it', manifest.namespace);
  }
}
