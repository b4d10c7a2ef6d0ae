/** What somebody uses a limiter for. */
export enum AccessRole {
  /** Services: acquire, adjust, release, and read the limits that hold. They change nothing but buckets. */
  ACQUIRE = 'acquire',
  /** Services that bill, beside `ACQUIRE`: write what is committed as usage events. */
  RECORD_USAGE = 'record-usage',
  /** Dashboards and reports: read limits, buckets, usage and the audit log. */
  READ = 'read',
  /** Operators: entities, limits, usage and namespaces, beside all that the others do. */
  ADMIN = 'admin',
}
