export type { AlarmSettings } from './alarms/alarm-settings.js';
export { LimiterAlarms } from './alarms/limiter-alarms.js';
export type { LimiterAlarmsOptions, LimiterAlarmsProps } from './alarms/limiter-alarms-props.js';
export type { MonthlyBudget } from './alarms/monthly-budget.js';
export type { UnitPrices } from './alarms/unit-prices.js';
export { AuditArchive, type AuditArchiveProps } from './audit-archive.js';
export { LimiterDashboard } from './dashboard/limiter-dashboard.js';
export type { LimiterDashboardOptions, LimiterDashboardProps } from './dashboard/limiter-dashboard-props.js';
export { LimiterTable } from './limiter-table.js';
export type { LimiterTableProps } from './limiter-table-props.js';
export { LimitRate, type LimitRateOptions, type LimitRateProps } from './limits-manifest/limit-rate.js';
export { LimitsManifest } from './limits-manifest/limits-manifest.js';
export {
  type EntityLimits,
  type LimitsManifestOptions,
  type LimitsManifestProps,
  type ResourceLimits,
  UnavailableAction,
} from './limits-manifest/limits-manifest-props.js';
export { ManifestSource } from './limits-manifest/manifest-source.js';
export { LoadRig } from './load-rig/load-rig.js';
export type { LoadRigProps } from './load-rig/load-rig-props.js';
export { AccessPolicies, type AccessPoliciesProps } from './permissions/access-policies.js';
export { AccessRole } from './permissions/access-role.js';
export { AccessRoles, type AccessRolesProps } from './permissions/access-roles.js';
export { NamespaceId } from './permissions/namespace-id.js';
export { RateLimiter } from './rate-limiter.js';
export { type IRateLimiter, RateLimiterBase } from './rate-limiter-base.js';
export type { RateLimiterAttributes, RateLimiterProps } from './rate-limiter-props.js';
export { type OnDemandOptions, type ProvisionedOptions, TableBilling } from './table-billing.js';
export { UsageAggregator } from './usage-aggregator.js';
export type { UsageAggregatorOptions, UsageAggregatorProps } from './usage-aggregator-props.js';
export type { UsageSealOptions } from './usage-seal-options.js';
export { type UsageRetention, UsageWindowType } from './usage-windows.js';
