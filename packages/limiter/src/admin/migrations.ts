import { ATTRIBUTE, REGISTRY_PARTITION } from '@millrace/core';
import { type Administration, inTurns } from './administration.js';
import { auditWrites } from './audit-event.js';
import type { ItemTable } from './item-table.js';
import { TABLE_NAMESPACE_ID } from './namespace-record.js';
import { newerTable, readSchema, schemaWrite } from './schema-record.js';

/**
 * One step from a schema to the next. It may die anywhere and be run again, beside another run, and while services of
 * both schemas write: so it must not mind items that are as it would make them.
 */
export interface Migration {
  /** What it changes, in a few words. */
  readonly does: string;
  run(items: ItemTable): Promise<void>;
}

/** By version: the first leads from 0 to 1. What the newest leads to is the version of this release. */
export const MIGRATIONS: readonly Migration[] = [{ does: 'records the version of the schema', run: async () => undefined }];

/** A step that was done and recorded. */
export interface MigrationProgress {
  readonly from: number;
  readonly to: number;
  readonly does: string;
}

/** From where to where a table was brought; the same twice where there was nothing to do. */
export interface MigrationResult {
  readonly from: number;
  readonly to: number;
}

/** What migrating takes. */
export interface MigrationParts extends Pick<Administration, 'items' | 'nowMs' | 'newEventId' | 'actor'> {
  /** The table's name, for messages. */
  readonly table: string;
}

/**
 * Brings a table to the version of this release, one recorded step after the other. One that died is gone on with: what
 * is recorded is not done again, the step after it is begun anew.
 *
 * @throws MillraceError `SCHEMA_VERSION` if the table is newer than this release
 */
export async function migrateSchema(
  parts: MigrationParts,
  onProgress: (progress: MigrationProgress) => void = () => undefined,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<MigrationResult> {
  const target = migrations.length;
  let first: number | undefined;
  for (;;) {
    const from = await inTurns('migrate the table', () => migrateOnce(parts, migrations, onProgress));
    first ??= from;
    if (from === target) return { from: first, to: target };
  }
}

/** Does the step that is next; gives the version that the table had before, or undefined if another run recorded it first. */
async function migrateOnce(
  { items, nowMs, newEventId, actor, table }: MigrationParts,
  migrations: readonly Migration[],
  onProgress: (progress: MigrationProgress) => void,
): Promise<number | undefined> {
  const record = await readSchema(items);
  const from = record?.version ?? 0;
  if (from > migrations.length) throw newerTable(table, from, migrations.length);
  const migration = migrations[from];
  if (migration === undefined) return from;
  const to = from + 1;
  await migration.run(items);
  await markNamespaces(items, to);
  const event = {
    id: newEventId(),
    action: 'schema.migrate',
    subject: 'schema',
    ...(actor === undefined ? {} : { actor }),
    before: { version: from },
    after: { version: to },
  } as const;
  const outcome = await items.transact([schemaWrite(record, to, nowMs(), actor), ...auditWrites(TABLE_NAMESPACE_ID, event, nowMs())]);
  if (outcome === 'conflict') return undefined;
  onProgress({ from, to, does: migration.does });
  return from;
}

const PAGE = 100;

/** Services read the registry, not the record: a namespace that says the new version is what keeps too old ones out. */
async function markNamespaces(items: ItemTable, version: number): Promise<void> {
  let after: string | undefined;
  do {
    const page = await items.query({ partition: REGISTRY_PARTITION, pageSize: PAGE, ...(after === undefined ? {} : { after }) });
    for (const item of page.items) {
      if (Number(item[ATTRIBUTE.schemaVersion] ?? 0) >= version) continue;
      // A namespace that was purged meanwhile must not come back as an item with nothing but a version.
      await items.transact([
        {
          kind: 'update',
          key: { partition: REGISTRY_PARTITION, sort: String(item[ATTRIBUTE.sortKey]) },
          set: { [ATTRIBUTE.schemaVersion]: version },
          when: [{ attribute: ATTRIBUTE.namespaceId, equals: String(item[ATTRIBUTE.namespaceId]) }],
        },
      ]);
    }
    after = page.next;
  } while (after !== undefined);
}
