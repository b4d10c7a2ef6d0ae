import { ValidationError } from '@millrace/core';
import { type MigrationProgress, type MigrationResult, migrateSchema } from '../admin/migrations.js';
import { checkProgress } from '../admin/purge.js';
import { type TableOptions, withTable } from './with-table.js';

/** Which table to migrate, and on whose behalf. */
export interface MigrateOptions extends Omit<TableOptions, 'timeoutMs'> {
  /** Who does it, for the audit log. @default nobody is named */
  readonly actor?: string;
  /** Called after each step that was done and recorded. */
  readonly onProgress?: (progress: MigrationProgress) => void;
}

/**
 * Brings a table to the schema of this release. Services of the schema before go on meanwhile, and after. One that ended
 * early is gone on with when it is called again.
 *
 * @throws MillraceError `SCHEMA_VERSION` if the table is newer than this release, `TABLE_NOT_FOUND`, and as `createTable`
 */
export async function migrate(options: MigrateOptions): Promise<MigrationResult> {
  if (typeof options !== 'object' || options === null) throw new ValidationError('options', 'an object', options);
  checkProgress(options.onProgress);
  return withTable(options, ['actor', 'onProgress'], ({ administration, table }) =>
    migrateSchema({ ...administration, table }, options.onProgress),
  );
}
