/** What is wrong with a table, or with what may be done to it. */
export interface TableInError {
  /** The table's name; absent where no table is meant. */
  readonly table?: string;
}

/** An item of the table, by its key. */
export interface ItemInError {
  readonly partition?: string;
  readonly sort?: string;
}

/**
 * What the errors of each code say beside their message, so that nobody has to read it out of the text. Codes with a class of
 * their own keep what they say in its fields: `ValidationError`, `RateLimitExceeded`, `EntityDisabled` and the others.
 */
export interface ErrorData {
  readonly ENTITY_NOT_FOUND: {
    /** The entity that is not there. */
    readonly entity: string;
    /** The entity that was to stand below it; absent where it was asked for itself. */
    readonly child?: string;
  };
  readonly ENTITY_EXISTS: { readonly entity: string };
  readonly ENTITY_HAS_CHILDREN: {
    readonly entity: string;
    /** How many stand directly below it. */
    readonly children: number;
  };
  readonly NAMESPACE_NOT_FOUND: TableInError & { readonly namespace: string };
  readonly NAMESPACE_STATE: TableInError & {
    /** Its name; absent where only its id is known. */
    readonly namespace?: string;
    readonly namespaceId?: string;
    /** The state that stands in the way; absent where that is its zone, or where it was deleted and may be purged by now. */
    readonly state?: 'active' | 'deleted' | 'purging';
    /** The zone in which its days begin, where another one was asked for. */
    readonly zone?: string;
  };
  readonly TABLE_NOT_FOUND: TableInError;
  readonly TABLE_UNUSABLE: TableInError & {
    /** What DynamoDB says of the table, or of its index, where that is why. */
    readonly status?: string;
  };
  readonly ACCESS_DENIED: TableInError;
  readonly CREDENTIALS: TableInError;
  readonly SCHEMA_VERSION: TableInError & {
    /** The version of what was read; absent where it is too old to say one. */
    readonly found?: number;
    /** The version that this release writes. */
    readonly known: number;
  };
  readonly CONFLICT: ItemInError;
  readonly UNREADABLE_RECORD: ItemInError;
  readonly NOT_SEALED: {
    readonly resource: string;
    /** Of which kind the window is: `hour`, `day`, `week` or `month`. */
    readonly type: string;
    /** When it begins, in milliseconds since 1970. */
    readonly startMs: number;
  };
  readonly VALIDATION: undefined;
  readonly RATE_LIMIT_EXCEEDED: undefined;
  readonly UNAVAILABLE: undefined;
  readonly LEASE_SETTLED: undefined;
  readonly CLOSED: undefined;
  readonly ABORTED: undefined;
  readonly ENTITY_DISABLED: undefined;
}
