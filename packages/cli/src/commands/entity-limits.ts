import type { RateLimiter } from '@millrace/limiter';
import type { EntityLevel } from '@millrace/limiter/admin';
import type { Command } from 'commander';
import { withLimiter } from '../connection.js';
import { entityLevel } from '../parse/level.js';
import { addPageOptions, type PageFlags, pageNote, parsePage } from '../parse/page.js';
import { addCommand, addGroup, answering, type Cli } from '../session.js';
import { entityLevelsTable } from './entity-view.js';
import { collect, deleteLevel, getLevel, LIMITS_HELP, type LimitFlags, setLevel } from './level-answers.js';

interface ResourceFlag {
  readonly resource?: string;
}

const RESOURCE = ['--resource <resource>', 'for this resource; without it, for every one that has none of its own'] as const;

/** `millrace entity limits`: the limits of an entity's own. */
export function addEntityLimits(entity: Command, cli: Cli): void {
  const limits = addGroup(entity, 'limits', "an entity's own limits, for one resource or by default");
  addCommand(
    limits,
    'set <entity> [limits...]',
    'store limits in place of those there are',
    'millrace entity limits set key-1 rpm:1000/min --resource gpt-4',
  )
    .option(...RESOURCE)
    .option('--limit <limit>', LIMITS_HELP, collect)
    .action(
      answering(cli, (session, id: string, texts: readonly string[], flags: LimitFlags & ResourceFlag) =>
        setLevel(session, entityLevel(id, flags.resource), texts, flags),
      ),
    );
  addCommand(limits, 'get <entity>', 'show them', 'millrace entity limits get key-1 --resource gpt-4')
    .option(...RESOURCE)
    .action(answering(cli, (session, id: string, { resource }: ResourceFlag) => getLevel(session, entityLevel(id, resource))));
  addCommand(limits, 'delete <entity>', 'take them away', 'millrace entity limits delete key-1 --resource gpt-4 --yes')
    .option(...RESOURCE)
    .action(answering(cli, (session, id: string, { resource }: ResourceFlag) => deleteLevel(session, entityLevel(id, resource), id)));
  addPageOptions(
    addCommand(limits, 'list <entity>', 'all that it has, its default first', 'millrace entity limits list key-1').option(
      '--resource <resource>',
      'only those for this resource',
    ),
    'resources',
  ).action(
    answering(cli, (session, id: string, { resource, ...flags }: PageFlags & ResourceFlag) => {
      const page = parsePage(flags);
      return withLimiter(session, async (limiter) => {
        const { levels, next } = await (resource === undefined ? limiter.limits.listOfEntity(id, page) : only(limiter, id, resource));
        return {
          json: { entity: id, levels, ...(next === undefined ? {} : { next }) },
          text: (style) => entityLevelsTable(levels, style, `entity ${id} has no limits of its own`),
          ...pageNote(next),
        };
      });
    }),
  );
}

interface Levels {
  readonly levels: readonly EntityLevel[];
  readonly next?: string;
}

async function only({ limits }: RateLimiter, entity: string, resource: string): Promise<Levels> {
  const level = await limits.getEntity(entity, resource);
  return { levels: level === undefined ? [] : [{ resource, ...level }] };
}
