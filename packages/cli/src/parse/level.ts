import type { ConfigLevel } from '@millrace/core';

/** The level that a command is about: an entity's own for a resource, or its default where no resource is named. */
export function entityLevel(entity: string, resource: string | undefined): ConfigLevel {
  return resource === undefined ? { level: 'entity-default', entity } : { level: 'entity', entity, resource };
}

/** A level in words: `entity key-1 on gpt-4`. */
export function levelWords(level: ConfigLevel): string {
  switch (level.level) {
    case 'system':
      return 'the system';
    case 'resource':
      return `resource ${level.resource}`;
    case 'entity-default':
      return `entity ${level.entity}`;
    case 'entity':
      return `entity ${level.entity} on ${level.resource}`;
  }
}
