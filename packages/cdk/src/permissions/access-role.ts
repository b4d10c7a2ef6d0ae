/** What somebody uses a limiter for. */
export enum AccessRole {
  /** Services: acquire, adjust, release, and read the limits that hold. They change nothing but buckets. */
  ACQUIRE = 'acquire',
  /** Dashboards and reports: read limits, buckets, usage and the audit log. */
  READ = 'read',
  /** Operators: entities, limits, usage and namespaces, beside all that the others do. */
  ADMIN = 'admin',
}
