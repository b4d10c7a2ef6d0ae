import { type ConfigLevel, checkKeys, checkName, escapeName, unescapeName, ValidationError } from '@millrace/core';

/** The name of a level as text: `system`, `resource/<r>`, `entity/<e>`, `entity/<e>/<r>`. Names are escaped, so it reads back. */
export function levelName(level: ConfigLevel): string {
  switch (level.level) {
    case 'system':
      return 'system';
    case 'resource':
      return `resource/${escapeName(level.resource)}`;
    case 'entity-default':
      return `entity/${escapeName(level.entity)}`;
    case 'entity':
      return `entity/${escapeName(level.entity)}/${escapeName(level.resource)}`;
  }
}

/** The level of that name; undefined where it names none, as a newer release may have levels that this one does not know. */
export function levelNamed(name: string): ConfigLevel | undefined {
  const level = levelOfParts(name.split('/'));
  // `%41` unescapes to something that escapes differently: only what levelName makes is a name.
  return level !== undefined && levelName(level) === name ? level : undefined;
}

function levelOfParts([kind, first, second, ...rest]: readonly string[]): ConfigLevel | undefined {
  if (rest.length > 0 || first === '' || second === '') return undefined;
  if (kind === 'system' && first === undefined) return { level: 'system' };
  if (kind === 'resource' && first !== undefined && second === undefined) return { level: 'resource', resource: unescapeName(first) };
  if (kind !== 'entity' || first === undefined) return undefined;
  const entity = unescapeName(first);
  return second === undefined ? { level: 'entity-default', entity } : { level: 'entity', entity, resource: unescapeName(second) };
}

/** What a level's events are filed under. The subject is not escaped: events are asked for by what people call things. */
export function levelSubject(level: ConfigLevel): { readonly subject: string; readonly resource?: string } {
  switch (level.level) {
    case 'system':
      return { subject: 'system' };
    case 'resource':
      return { subject: `resource/${level.resource}` };
    case 'entity-default':
      return { subject: `entity/${level.entity}` };
    case 'entity':
      return { subject: `entity/${level.entity}`, resource: level.resource };
  }
}

const NAMES_OF: Readonly<Record<ConfigLevel['level'], readonly ('entity' | 'resource')[]>> = {
  system: [],
  resource: ['resource'],
  'entity-default': ['entity'],
  entity: ['entity', 'resource'],
};

/** Checks a level that a caller names. */
export function checkLevel(value: unknown): ConfigLevel {
  if (typeof value !== 'object' || value === null) throw new ValidationError('level', 'an object like { level: "system" }', value);
  const { level } = value as { level?: unknown };
  if (typeof level !== 'string' || !Object.hasOwn(NAMES_OF, level)) {
    throw new ValidationError('level', `one of ${Object.keys(NAMES_OF).join(', ')}`, level);
  }
  const names = NAMES_OF[level as ConfigLevel['level']];
  checkKeys('level', value, ['level', ...names]);
  for (const name of names) checkName(name, (value as Record<string, unknown>)[name]);
  return value as ConfigLevel;
}
