import { MillraceError } from '@millrace/core';
import type { RateLimiter } from '@millrace/limiter';
import type { Command } from 'commander';
import { withLimiter } from '../connection.js';
import { CliFailure } from '../failure.js';
import { addPageOptions, type PageFlags, pageNote, parsePage } from '../parse/page.js';
import { figure } from '../render/figures.js';
import { table } from '../render/table.js';
import { type Answer, addCommand, addGroup, answering, type Cli, type Session } from '../session.js';
import { addControls } from './entity-control.js';
import { addEntityLimits } from './entity-limits.js';
import { entityAnswer, shownAnswer } from './entity-view.js';

interface PlaceFlags {
  readonly parent?: string;
  readonly root?: boolean;
  readonly cascade?: boolean;
}

/** `millrace entity`: who is limited. */
export function addEntity(program: Command, cli: Cli): void {
  const entity = addGroup(program, 'entity', 'entities: who is limited, below whom, how treated, with which limits of their own');
  addTree(entity, cli);
  addListings(entity, cli);
  addEntityLimits(entity, cli);
  addControls(entity, cli);
}

function addTree(entity: Command, cli: Cli): void {
  addCommand(
    entity,
    'create <entity>',
    'create an entity; one without a parent need not be created to be limited',
    'millrace entity create key-1 --parent project-1 --cascade',
  )
    .option('--parent <entity>', 'an existing entity to stand below')
    .option('--cascade', 'an acquire on it also takes from its parent')
    .action(
      answering(cli, (session, id: string, { parent, cascade = false }: PlaceFlags) =>
        withLimiter(session, async ({ entities }) =>
          entityAnswer(await entities.create(id, { cascade, ...(parent === undefined ? {} : { parent }) }), 'created'),
        ),
      ),
    );
  addCommand(
    entity,
    'move <entity>',
    'put an entity with all below it elsewhere, or change whether it cascades; run it again if it ends early',
    'millrace entity move key-1 --parent project-2 --cascade',
  )
    .option('--parent <entity>', 'below this one')
    .option('--root', 'below none')
    .option('--cascade', 'an acquire on it also takes from its parent')
    .option('--no-cascade', 'an acquire on it takes from it alone')
    .action(
      answering(cli, (session, id: string, flags: PlaceFlags) => {
        const place = placeOf(flags);
        return withLimiter(session, async ({ entities }) => entityAnswer(await entities.move(id, place), 'moved'));
      }),
    );
  addCommand(
    entity,
    'delete <entity>',
    'delete an entity with its limits and buckets; run it again if it ends early',
    'millrace entity delete project-1 --children --yes',
  )
    .option('--children', 'and all that stands below it')
    .action(answering(cli, (session, id: string, { children = false }: { readonly children?: boolean }) => remove(session, id, children)));
}

function placeOf({ parent, root, cascade }: PlaceFlags): { readonly parent?: string | null; readonly cascade?: boolean } {
  if (parent !== undefined && root === true)
    throw new CliFailure('USAGE', '--parent and --root exclude each other', 'leave one of them out');
  if (parent === undefined && root === undefined && cascade === undefined) {
    throw new CliFailure('USAGE', 'nothing says where to', 'give --parent <entity>, --root, --cascade or --no-cascade');
  }
  const above = root === true ? { parent: null } : parent === undefined ? {} : { parent };
  return { ...above, ...(cascade === undefined ? {} : { cascade }) };
}

async function remove(session: Session, id: string, children: boolean): Promise<Answer> {
  const below = children ? ', and all that stands below it' : '';
  await session.confirm({ what: `deletes entity "${id}" with its limits and buckets${below}`, type: id });
  const progress = session.progress('deleted entities');
  try {
    let count = 0;
    const onProgress = ({ deleted }: { readonly deleted: number }): void => {
      count = deleted;
      if (children) progress.step(deleted);
    };
    await withLimiter(session, ({ entities }) => entities.delete(id, { children, onProgress }));
    return {
      json: { entity: id, deleted: count },
      text: () => (count > 1 ? `deleted entity ${id} and ${figure(count - 1)} below it\n` : `deleted entity ${id}\n`),
    };
  } finally {
    progress.end();
  }
}

function addListings(entity: Command, cli: Cli): void {
  addCommand(
    entity,
    'show <entity>',
    'show one entity: where it stands, how it is treated, its own limits',
    'millrace entity show key-1',
  ).action(answering(cli, (session, id: string) => withLimiter(session, (limiter) => show(limiter, id))));
  addPageOptions(addCommand(entity, 'list', 'the entities that were created', 'millrace entity list --limit 1000'), 'entities').action(
    answering(cli, (session, flags: PageFlags) => {
      const page = parsePage(flags);
      return withLimiter(session, async ({ entities }) => listing(await entities.list(page), {}, 'no entities'));
    }),
  );
  addPageOptions(
    addCommand(entity, 'children <entity>', 'the entities directly below one', 'millrace entity children project-1'),
    'children',
  ).action(
    answering(cli, (session, parent: string, flags: PageFlags) => {
      const page = parsePage(flags);
      return withLimiter(session, async ({ entities }) => {
        if ((await entities.get(parent)) === undefined) throw notFound(parent);
        return listing(await entities.children(parent, page), { parent }, `nothing stands below ${parent}`);
      });
    }),
  );
}

interface Ids {
  readonly ids: readonly string[];
  readonly next?: string;
}

function listing({ ids, next }: Ids, of: { readonly parent?: string }, empty: string): Answer {
  return {
    json: { ...of, entities: ids, ...(next === undefined ? {} : { next }) },
    text: (style) =>
      table(
        ['entity'],
        ids.map((id) => [id]),
        { style, empty },
      ),
    ...pageNote(next),
  };
}

/** An entity that was never created may have limits, or be treated in a way: then there is something to show. */
async function show({ entities, limits }: RateLimiter, id: string): Promise<Answer> {
  const [entity, control, { levels, next }] = await Promise.all([entities.get(id), entities.control(id), limits.listOfEntity(id)]);
  if (entity === undefined && levels.length === 0 && control.mode === 'enforce') throw notFound(id);
  return {
    ...shownAnswer(id, entity, control, levels),
    ...(next === undefined ? {} : { note: `more limits: millrace entity limits list ${id}` }),
  };
}

function notFound(id: string): MillraceError {
  return new MillraceError('ENTITY_NOT_FOUND', `there is no entity "${id}"`, { data: { entity: id } });
}
