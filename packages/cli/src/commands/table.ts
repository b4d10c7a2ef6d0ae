import { isMillraceError } from '@millrace/core';
import type { TableStatus } from '@millrace/limiter/admin';
import type { Command } from 'commander';
import { connectionOf, tableOf } from '../globals.js';
import { counted } from '../render/figures.js';
import type { Style } from '../render/style.js';
import { details } from '../render/table.js';
import { addCommand, addGroup, answering, type Cli } from '../session.js';

const UPGRADE_TIMEOUT_MS = 600_000;

/** `millrace table`: for development and tests; in production the table belongs to the construct. */
export function addTable(program: Command, cli: Cli): void {
  const table = addGroup(program, 'table', 'the table itself, for development: in production the construct makes it');
  addCommand(
    table,
    'create',
    'create the table, with namespace "default"; one that exists stays as it is',
    'millrace table create --table millrace --endpoint http://127.0.0.1:8000',
  ).action(
    answering(cli, async ({ globals }) => {
      const name = tableOf(globals);
      const { createTable, tableStatus } = await import('@millrace/limiter/admin');
      const connection = connectionOf(globals);
      const look = () => tableStatus({ table: name, ...connection });
      const existed = await isThere(look());
      await createTable({ table: name, actor: globals.actor, ...connection });
      const status = await look();
      const done = existed ? `table ${name} exists, and stays as it is` : `created table ${name}`;
      return { json: { ...status, existed }, text: () => `${done}; it is ${status.status}\n` };
    }),
  );
  addCommand(table, 'delete', 'delete the table with all that it holds', 'millrace table delete --table millrace --yes').action(
    answering(cli, async (session) => {
      const name = tableOf(session.globals);
      const connection = connectionOf(session.globals);
      const { deleteTable, tableStatus } = await import('@millrace/limiter/admin');
      // Asked first: a mistyped name may be that of somebody else's table, or of none.
      const { items } = await tableStatus({ table: name, ...connection });
      const held = items === undefined ? '' : ` (about ${counted(items, 'item')})`;
      await session.confirm({ what: `deletes table "${name}" with all that it holds${held}`, type: name });
      await deleteTable({ table: name, ...connection });
      return { json: { table: name, deleted: true }, text: () => `deleted table ${name}\n` };
    }),
  );
  addCommand(table, 'status', 'show how the table is', 'millrace table status --table millrace').action(
    answering(cli, async ({ globals }) => {
      const { tableStatus } = await import('@millrace/limiter/admin');
      const status = await tableStatus({ table: tableOf(globals), ...connectionOf(globals) });
      return { json: status, text: (style) => statusText(status, style) };
    }),
  );
  addCommand(
    table,
    'migrate',
    'bring the table to the schema of this release, while services go on; run it again if it ends early',
    'millrace table migrate --table millrace',
  ).action(
    answering(cli, async (session) => {
      const { actor } = session.globals;
      const { migrate } = await import('@millrace/limiter/admin');
      const steps: { readonly from: number; readonly to: number; readonly does: string }[] = [];
      const onProgress = (step: { readonly from: number; readonly to: number; readonly does: string }): void => void steps.push(step);
      const result = await migrate({ table: tableOf(session.globals), actor, onProgress, ...connectionOf(session.globals) });
      return {
        json: { ...result, steps },
        text: () => {
          const done = steps.map(({ from, to, does }) => `from ${from} to ${to}: ${does}\n`).join('');
          return done === '' ? `the schema is at version ${result.to}; there was nothing to do\n` : done;
        },
      };
    }),
  );
  addUpgrade(table, cli);
}

/** Whether what is looked at is there. One that cannot be used is: what is wrong with it is for the creation to say. */
async function isThere(status: Promise<unknown>): Promise<boolean> {
  try {
    await status;
    return true;
  } catch (error) {
    if (isMillraceError(error) && error.code === 'TABLE_NOT_FOUND') return false;
    if (isMillraceError(error) && (error.code === 'TABLE_UNUSABLE' || error.code === 'SCHEMA_VERSION')) return true;
    throw error;
  }
}

function addUpgrade(table: Command, cli: Cli): void {
  addCommand(
    table,
    'upgrade',
    'add to a table of an earlier release what this one wants of it, an index, and wait until it is usable; services go on',
    'millrace table upgrade --table millrace',
  ).action(
    answering(cli, async ({ globals }) => {
      const { upgradeTable } = await import('@millrace/limiter/admin');
      const result = await upgradeTable({ table: tableOf(globals), timeoutMs: UPGRADE_TIMEOUT_MS, ...connectionOf(globals) });
      return {
        json: result,
        text: () =>
          result.added.length === 0
            ? 'there was nothing to do\n'
            : result.added.map((name) => `index "${name}" was added, and is usable\n`).join(''),
      };
    }),
  );
}

function statusText(status: TableStatus, style: Style): string {
  const { schemaVersion, releaseSchemaVersion, readable } = status;
  const schema = schemaVersion === undefined ? 'unknown' : `version ${schemaVersion}; this release writes ${releaseSchemaVersion}`;
  return details(
    [
      ['table', status.table],
      ['status', status.status],
      ['items', status.items],
      ['bytes', status.sizeBytes],
      ['schema', readable === false ? `${schema} and cannot read it` : schema],
      ['stream', onOff(status.stream)],
      ['time to live', onOff(status.timeToLive)],
      ['recovery', onOff(status.pointInTimeRecovery)],
      ['usage index', status.usageIndex === 'missing' ? 'missing; "millrace table upgrade" adds it' : status.usageIndex],
    ],
    style,
  );
}

function onOff(on: boolean | undefined): string {
  return on === undefined ? 'unknown' : on ? 'on' : 'off';
}
