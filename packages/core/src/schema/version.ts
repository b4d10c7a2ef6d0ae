import { MillraceError } from '../errors.js';

/** The schema that this release writes. An item says in `v` by which it was created. */
export const SCHEMA_VERSION = 1;

/** Refuses an item whose schema is more than one away from ours: neighbours only add, and are read without harm. */
export function checkSchemaVersion(what: string, version: number): void {
  if (Math.abs(version - SCHEMA_VERSION) <= 1) return;
  throw new MillraceError(
    'SCHEMA_VERSION',
    `${what} has schema version ${version}, and this release reads ${SCHEMA_VERSION - 1} to ${SCHEMA_VERSION + 1}; ` +
      `${version > SCHEMA_VERSION ? 'update this service' : 'migrate the table with a release in between'}`,
    { data: { found: version, known: SCHEMA_VERSION } },
  );
}
