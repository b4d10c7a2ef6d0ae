export { LimiterTable, type LimiterTableProps } from './limiter-table.js';
export { AccessRole } from './permissions/access-statements.js';
export { type IRateLimiter, RateLimiter, RateLimiterBase, type RateLimiterProps } from './rate-limiter.js';
export { type OnDemandOptions, type ProvisionedOptions, TableBilling } from './table-billing.js';
export { UsageAggregator, type UsageAggregatorProps } from './usage-aggregator.js';
