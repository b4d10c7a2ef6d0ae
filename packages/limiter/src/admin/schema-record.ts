import { ATTRIBUTE, MillraceError, SCHEMA_KEY, SCHEMA_VERSION } from '@millrace/core';
import type { Item, ItemTable, ItemWrite } from './item-table.js';

/** Which schema a table is in, and who brought it there. */
export interface SchemaRecord {
  readonly version: number;
  readonly recordedAt: Date;
  readonly recordedBy?: string;
}

/** The record of a table; undefined where there is none, which counts as version 0. One read. */
export async function readSchema(items: ItemTable): Promise<SchemaRecord | undefined> {
  const [item] = await items.get([SCHEMA_KEY]);
  if (item === undefined) return undefined;
  const by = item[ATTRIBUTE.writtenBy];
  return {
    version: Number(item[ATTRIBUTE.schemaVersion]),
    recordedAt: new Date(Number(item[ATTRIBUTE.createdAtMs])),
    ...(typeof by === 'string' ? { recordedBy: by } : {}),
  };
}

/** The write that records a version, if the record is still the one that was read. */
export function schemaWrite(previous: SchemaRecord | undefined, version: number, nowMs: number, actor: string | undefined): ItemWrite {
  const item: Item = {
    [ATTRIBUTE.partitionKey]: SCHEMA_KEY.partition,
    [ATTRIBUTE.sortKey]: SCHEMA_KEY.sort,
    [ATTRIBUTE.schemaVersion]: version,
    [ATTRIBUTE.createdAtMs]: Math.floor(nowMs),
    ...(actor === undefined ? {} : { [ATTRIBUTE.writtenBy]: actor }),
  };
  const when =
    previous === undefined
      ? ({ attribute: ATTRIBUTE.partitionKey, is: 'absent' } as const)
      : { attribute: ATTRIBUTE.schemaVersion, equals: previous.version };
  return { kind: 'put', item, when: [when] };
}

/** Whether this release reads items of a schema: its own, and its neighbours', which only add. */
export function isReadable(version: number): boolean {
  return Math.abs(version - SCHEMA_VERSION) <= 1;
}

/** Refuses a table that is newer than a release knows; migrating is no remedy for that. */
export function newerTable(table: string, version: number, known: number): MillraceError {
  return new MillraceError(
    'SCHEMA_VERSION',
    `table "${table}" has schema version ${version}, and this release knows ${known}; update Millrace to a release that knows ${version}`,
    { data: { table, found: version, known } },
  );
}
