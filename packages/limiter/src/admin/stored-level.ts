import type { ConfigRecord, Limit } from '@millrace/core';

/** Limits as they are stored at a level. */
export interface StoredLevel {
  readonly limits: readonly Limit[];
  /** Grows with every change of the level. */
  readonly version: number;
  readonly updatedAt: Date;
  /** The manifest whose apply made them; absent where they were set by hand. */
  readonly managedBy?: string;
}

/** What callers see of a level; undefined where it has no limits. */
export function storedLevel(record: ConfigRecord | undefined): StoredLevel | undefined {
  if (record?.limits === undefined) return undefined;
  const { limits, version, updatedAtMs, managedBy } = record;
  return { limits, version, updatedAt: new Date(updatedAtMs), ...(managedBy === undefined ? {} : { managedBy }) };
}
