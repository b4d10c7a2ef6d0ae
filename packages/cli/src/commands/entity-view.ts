import type { EntityControl, Limit } from '@millrace/limiter';
import type { Entity, EntityLevel } from '@millrace/limiter/admin';
import { treatedAs } from '../render/control.js';
import { moment } from '../render/figures.js';
import { limitCells } from '../render/limits.js';
import type { Style } from '../render/style.js';
import { type Cell, details, table } from '../render/table.js';
import type { Answer } from '../session.js';

/** An entity as it is after something was done to it. */
export function entityAnswer(entity: Entity, done: string): Answer {
  return { json: entity, text: (style) => `${done}\n\n${details(place(entity.id, entity), style)}` };
}

/** An entity with all that is known of it. */
export function shownAnswer(id: string, entity: Entity | undefined, control: EntityControl, levels: readonly EntityLevel[]): Answer {
  return {
    json: { ...(entity ?? { id }), created: entity !== undefined, control, limits: levels },
    text: (style) => {
      const facts = details([...place(id, entity), ['treated as', treatedAs(control)]], style);
      return levels.length === 0 ? facts : `${facts}\n${entityLevelsTable(levels, style)}`;
    },
  };
}

/** The limits of an entity's own, by resource; its default comes first. */
export function entityLevelsTable(levels: readonly EntityLevel[], style: Style, empty?: string): string {
  const rows = levels.flatMap(({ resource, limits, managedBy }): readonly (readonly Cell[])[] =>
    limits.map((limit: Limit) => [resource ?? '(default)', ...limitCells(limit), managedBy]),
  );
  const look = empty === undefined ? { style } : { style, empty };
  return table(['resource', 'limit', 'tokens', 'per', 'capacity', 'managed by'], rows, look);
}

function place(id: string, entity: Entity | undefined): readonly (readonly [string, Cell])[] {
  if (entity === undefined)
    return [
      ['entity', id],
      ['created', 'no'],
    ];
  return [
    ['entity', id],
    ['parent', entity.parent],
    ['cascade', entity.parent === undefined ? undefined : entity.cascade ? 'yes' : 'no'],
    ['ancestors', entity.ancestors.length === 0 ? undefined : entity.ancestors.join(', ')],
    ['created', moment(entity.createdAt)],
  ];
}
