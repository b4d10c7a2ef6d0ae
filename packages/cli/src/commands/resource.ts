import type { Command } from 'commander';
import { withLimiter } from '../connection.js';
import { addPageOptions, type PageFlags, pageNote, parsePage } from '../parse/page.js';
import { limitsText } from '../render/figures.js';
import { table } from '../render/table.js';
import { addCommand, addGroup, answering, type Cli } from '../session.js';
import { collect, deleteLevel, getLevel, LIMITS_HELP, type LimitFlags, setLevel } from './level-answers.js';

/** `millrace resource`: what is used. */
export function addResource(program: Command, cli: Cli): void {
  const resource = addGroup(program, 'resource', 'resources and the limits that each has for everybody');
  const limits = addGroup(resource, 'limits', 'the limits of a resource for every entity that has no others');
  addCommand(
    limits,
    'set <resource> [limits...]',
    'store limits in place of those there are',
    'millrace resource limits set gpt-4 rpm:500/min tpm:800000/min',
  )
    .option('--limit <limit>', LIMITS_HELP, collect)
    .action(
      answering(cli, (session, name: string, texts: readonly string[], flags: LimitFlags) =>
        setLevel(session, { level: 'resource', resource: name }, texts, flags),
      ),
    );
  addCommand(limits, 'get <resource>', 'show them', 'millrace resource limits get gpt-4').action(
    answering(cli, (session, name: string) => getLevel(session, { level: 'resource', resource: name })),
  );
  addCommand(limits, 'delete <resource>', 'take them away', 'millrace resource limits delete gpt-4 --yes').action(
    answering(cli, (session, name: string) => deleteLevel(session, { level: 'resource', resource: name }, name)),
  );
  addListings(resource, cli);
}

function addListings(resource: Command, cli: Cli): void {
  addPageOptions(
    addCommand(resource, 'list', 'the resources that have limits of their own, with them', 'millrace resource list'),
    'resources',
  ).action(
    answering(cli, (session, flags: PageFlags) => {
      const page = parsePage(flags);
      return withLimiter(session, async (limiter) => {
        const { names, next } = await limiter.limits.listResources(page);
        const levels = await Promise.all(names.map((name) => limiter.limits.getResource(name)));
        const resources = names.map((name, index) => ({ resource: name, limits: levels[index]?.limits ?? [] }));
        return {
          json: { resources, ...(next === undefined ? {} : { next }) },
          text: (style) =>
            table(
              ['resource', 'limits'],
              resources.map((one) => [one.resource, limitsText(one.limits)]),
              { style, empty: 'no resource has limits of its own' },
            ),
          ...pageNote(next),
        };
      });
    }),
  );
  addPageOptions(
    addCommand(
      resource,
      'entities <resource>',
      'the entities that have limits of their own for a resource',
      'millrace resource entities gpt-4',
    ),
    'entities',
  ).action(
    answering(cli, (session, name: string, flags: PageFlags) => {
      const page = parsePage(flags);
      return withLimiter(session, async (limiter) => {
        const { names, next } = await limiter.limits.listEntities(name, page);
        return {
          json: { resource: name, entities: names, ...(next === undefined ? {} : { next }) },
          text: (style) =>
            table(
              ['entity'],
              names.map((entity) => [entity]),
              { style, empty: `no entity has limits of its own for ${name}` },
            ),
          ...pageNote(next),
        };
      });
    }),
  );
}
