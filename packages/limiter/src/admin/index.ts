export { type ConnectionDescription, describeConnection } from '../dynamo/describe-connection.js';
export { type MigrateOptions, migrate } from '../dynamo/migrate-table.js';
export { administrationOver, type TableAdministrationOptions } from '../dynamo/table-administration.js';
export { type CreateTableOptions, createTable, deleteTable, waitForTable } from '../dynamo/table-lifecycle.js';
export { type TableStatus, tableStatus } from '../dynamo/table-status.js';
export { type UpgradeResult, upgradeTable } from '../dynamo/upgrade-table.js';
export type { WindowIndexState } from '../dynamo/window-index.js';
export type { TableOptions } from '../dynamo/with-table.js';
export type { CheckParts, CheckSettings } from '../usage/check-day.js';
export { checkPeriod, type IndexPlace, type PeriodSlice } from '../usage/check-period.js';
export type { FindingKind, UsageFinding } from '../usage/examine.js';
export { SealInterrupted, type SealParts, sealWindow } from '../usage/seal.js';
export { zoneOnce } from '../usage/usage-parts.js';
export { administrationOf } from './access.js';
export { type Administration, checkActor } from './administration.js';
export { type ApplyLevelsOptions, type ApplyLevelsResult, applyLevels } from './apply-levels.js';
export type { AuditAction, AuditEvent } from './audit-event.js';
export { AuditLog, type AuditPage, type ListAuditOptions } from './audit-log.js';
export type { Entity } from './entities.js';
export type { EntityLevel, EntityLevelPage } from './entity-levels.js';
export {
  type Clause,
  type Condition,
  type Item,
  type ItemPage,
  type ItemQuery,
  type ItemTable,
  type ItemWrite,
  type KeyPage,
  keyOf,
  MAX_TRANSACTION_WRITES,
} from './item-table.js';
export type { LevelChange } from './level-change.js';
export { configOfItem, type StoredConfig, sameLimits } from './level-item.js';
export { managedLevels } from './level-links.js';
export { levelName, levelNamed } from './level-name.js';
export type { MigrationProgress, MigrationResult } from './migrations.js';
export type { NamePage, PageOptions } from './named-pages.js';
export type { NamespaceDescription } from './namespace-record.js';
export { type NamespacePage, Namespaces, type RegisterOptions } from './namespaces.js';
export { type OpenAdministration, type OpenAdministrationOptions, openAdministration } from './open-administration.js';
export { type OpenNamespaces, type OpenNamespacesOptions, openNamespaces } from './open-namespaces.js';
export type { PurgeOptions, PurgeProgress, PurgeResult } from './purge.js';
export type { StoredLevel } from './stored-level.js';
export { type LimitsInput, StoredLimits } from './stored-limits.js';
