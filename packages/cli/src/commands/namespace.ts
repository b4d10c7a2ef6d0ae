import { MillraceError } from '@millrace/core';
import type { NamespaceDescription } from '@millrace/limiter/admin';
import type { Command } from 'commander';
import { withRegistry } from '../connection.js';
import { addPageOptions, type PageFlags, pageNote, parsePage } from '../parse/page.js';
import { counted, moment } from '../render/figures.js';
import type { Style } from '../render/style.js';
import { details, table } from '../render/table.js';
import { type Answer, addCommand, addGroup, answering, type Cli } from '../session.js';

/** `millrace namespace`: the registry of the table. None of these commands needs a namespace to be there. */
export function addNamespace(program: Command, cli: Cli): void {
  const namespace = addGroup(program, 'namespace', 'the namespaces of the table: worlds of their own that never see each other');
  addCommand(namespace, 'register <name>', 'make a namespace; one that is active stays as it is', 'millrace namespace register acme')
    .option(
      '--zone <name>',
      'the time zone in which the days of its usage begin, as Europe/Berlin; it can never be changed (UTC unless given)',
    )
    .action(
      answering(cli, (session, name: string, { zone }: { readonly zone?: string }) =>
        withRegistry(session, async ({ namespaces }) => {
          const existed = (await namespaces.describe(name)) !== undefined;
          const namespace = await namespaces.register(name, zone === undefined ? {} : { zone });
          const answer = described(namespace, existed ? 'it was registered before; it stays as it is' : 'registered');
          return { ...answer, json: { ...namespace, existed } };
        }),
      ),
    );
  addPageOptions(addCommand(namespace, 'list', 'namespaces of every state', 'millrace namespace list'), 'namespaces').action(
    answering(cli, (session, flags: PageFlags) => {
      const page = parsePage(flags);
      return withRegistry(session, async ({ namespaces }) => {
        const { namespaces: listed, next } = await namespaces.list(page);
        return {
          json: { namespaces: listed, ...(next === undefined ? {} : { next }) },
          text: (style) => listing(listed, style),
          ...pageNote(next),
        };
      });
    }),
  );
  addCommand(namespace, 'show <name>', 'show one namespace', 'millrace namespace show acme').action(
    answering(cli, (session, name: string) =>
      withRegistry(session, async ({ namespaces }) => {
        const found = await namespaces.describe(name);
        if (found === undefined)
          throw new MillraceError('NAMESPACE_NOT_FOUND', `there is no namespace "${name}"; check the name`, { data: { namespace: name } });
        return described(found);
      }),
    ),
  );
  addEnds(namespace, cli);
}

/** How a namespace ends, and how it comes back before it has. */
function addEnds(namespace: Command, cli: Cli): void {
  addCommand(
    namespace,
    'delete <name>',
    'close a namespace: nothing in it can be acquired, all that it holds stays until it is purged',
    'millrace namespace delete acme --yes',
  ).action(
    answering(cli, async (session, name: string) => {
      await session.confirm({ what: `closes namespace "${name}": every acquire in it fails until it is recovered`, type: name });
      return withRegistry(session, async ({ namespaces }) => described(await namespaces.delete(name), 'deleted'));
    }),
  );
  addCommand(namespace, 'recover <name>', 'open a deleted namespace again, as it was', 'millrace namespace recover acme').action(
    answering(cli, (session, name: string) =>
      withRegistry(session, async ({ namespaces }) => described(await namespaces.recover(name), 'recovered')),
    ),
  );
  addCommand(
    namespace,
    'purge <name>',
    'destroy all that a deleted namespace holds, and free its name; run it again if it ends early',
    'millrace namespace purge acme --yes',
  ).action(
    answering(cli, async (session, name: string) => {
      await session.confirm({ what: `destroys all that namespace "${name}" holds; it cannot be undone`, type: name });
      const progress = session.progress('deleted items');
      try {
        const onProgress = ({ deleted }: { readonly deleted: number }): void => progress.step(deleted);
        const { deleted } = await withRegistry(session, ({ namespaces }) => namespaces.purge(name, { onProgress }));
        return { json: { name, deleted }, text: () => `purged namespace ${name}: ${counted(deleted, 'item')}\n` };
      } finally {
        progress.end();
      }
    }),
  );
}

function described(namespace: NamespaceDescription, done?: string): Answer {
  const { name, id, state, createdAt, zone, deletedAt } = namespace;
  return {
    json: namespace,
    text: (style) => {
      const pairs = [
        ['namespace', name],
        ['id', id],
        ['state', state],
        ['created', moment(createdAt)],
        ['zone', zone],
        ['deleted', deletedAt === undefined ? undefined : moment(deletedAt)],
      ] as const;
      return `${done === undefined ? '' : `${done}\n\n`}${details(pairs, style)}`;
    },
  };
}

function listing(namespaces: readonly NamespaceDescription[], style: Style): string {
  const rows = namespaces.map(({ name, id, state, createdAt, deletedAt }) => [
    name,
    id,
    state,
    moment(createdAt),
    deletedAt === undefined ? undefined : moment(deletedAt),
  ]);
  return table(['namespace', 'id', 'state', 'created', 'deleted'], rows, { style, empty: 'no namespaces' });
}
