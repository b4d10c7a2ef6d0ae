import type { ConfigSource } from '@millrace/limiter';
import type { Command } from 'commander';
import { withLimiter } from '../connection.js';
import { treatedAs } from '../render/control.js';
import { limitCells } from '../render/limits.js';
import type { Style } from '../render/style.js';
import { type Cell, details, table } from '../render/table.js';
import { type Answer, addCommand, answering, type Cli } from '../session.js';

/** `millrace explain`: which limits hold, where they come from, and who else is charged. */
export function addExplain(program: Command, cli: Cli): void {
  addCommand(
    program,
    'explain <entity> <resource>',
    'show which limits hold and from which level, who else is charged, and how the entity is treated',
    'millrace explain key-1 gpt-4',
  ).action(
    answering(cli, (session, entity: string, resource: string) =>
      withLimiter(session, async (limiter) => explained(entity, resource, await limiter.explain(entity, resource))),
    ),
  );
}

type Explanation = Awaited<ReturnType<import('@millrace/limiter').RateLimiter['explain']>>;
type Level = Pick<Explanation, 'limits' | 'source' | 'control'> & { readonly entity: string };

function explained(entity: string, resource: string, explanation: Explanation): Answer {
  const { limits, source, control, charged, ancestors, onUnavailable, version, closed } = explanation;
  const above = charged.map((ancestor): Level => ({ entity: ancestor, ...heldBy(ancestors.get(ancestor)) }));
  const levels: readonly Level[] = [{ entity, ...heldBy(explanation) }, ...above];
  return {
    json: {
      entity,
      resource,
      limits: limits ?? null,
      source: source ?? null,
      control,
      onUnavailable: onUnavailable ?? null,
      charged,
      ancestors: above,
      version,
      closed,
    },
    text: (style) => facts(entity, resource, explanation, style) + limitLines(levels, style),
  };
}

function heldBy(config: Pick<Explanation, 'limits' | 'source' | 'control'> | undefined): Omit<Level, 'entity'> {
  return {
    ...(config?.limits === undefined ? {} : { limits: config.limits }),
    ...(config?.source === undefined ? {} : { source: config.source }),
    control: config?.control ?? { mode: 'enforce' },
  };
}

const LEVELS: Readonly<Record<ConfigSource, string>> = {
  entity: "the entity's limits for the resource",
  'entity-default': "the entity's default",
  resource: 'the resource',
  system: 'the system',
  argument: 'the call',
};

function facts(entity: string, resource: string, { charged, control, onUnavailable, source }: Explanation, style: Style): string {
  return details(
    [
      ['entity', entity],
      ['resource', resource],
      ['limits of', source === undefined ? 'no level has any: an acquire needs its own' : LEVELS[source]],
      ['also charged', charged.length === 0 ? 'nobody' : charged.join(', ')],
      ['treated as', treatedAs(control)],
      ['unreachable', onUnavailable === undefined ? 'callers block (nothing is stored)' : `callers ${onUnavailable}`],
    ],
    style,
  );
}

function limitLines(levels: readonly Level[], style: Style): string {
  const rows = levels.flatMap(({ entity, limits = [], source }): readonly (readonly Cell[])[] =>
    limits.map((limit) => [entity, ...limitCells(limit), source === undefined ? undefined : source]),
  );
  return rows.length === 0 ? '' : `\n${table(['entity', 'limit', 'tokens', 'per', 'capacity', 'level'], rows, { style })}`;
}
