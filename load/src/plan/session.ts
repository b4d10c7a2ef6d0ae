/** Tokens per limit. */
export type Amounts = Readonly<Record<string, number>>;

/** Tokens that a turn holds. Settle it once, by either way. */
export interface Held {
  /** Keeps what was taken, less or more the deltas: what was really used, less what was taken. */
  commit(deltas?: Amounts): Promise<void>;
  /** Gives everything back. */
  release(): Promise<void>;
}

/** The answer to an acquire. Nothing throws: a turn goes on whatever the store does, and the session has counted it. */
export type Answer =
  | { readonly kind: 'held'; readonly held: Held }
  | { readonly kind: 'refused'; readonly retryAfterMs: number }
  | { readonly kind: 'failed' };

/** What administration may do in the middle of a run. */
export interface Management {
  set_resource: { readonly resource: string; readonly limits: readonly string[] };
  get_resource: { readonly resource: string };
  delete_resource: { readonly resource: string };
  set_entity: { readonly entity: string; readonly resource: string; readonly limits: readonly string[] };
  get_entity: { readonly entity: string; readonly resource: string };
  delete_entity: { readonly entity: string; readonly resource: string };
  create_entity: { readonly entity: string; readonly parent?: string; readonly cascade?: boolean };
  list_resources: Readonly<Record<string, never>>;
}

export type ManagementOperation = keyof Management;

/** All of them: each has a series of its own. */
export const MANAGEMENT_OPERATIONS: readonly ManagementOperation[] = [
  'set_resource',
  'get_resource',
  'delete_resource',
  'set_entity',
  'get_entity',
  'delete_entity',
  'create_entity',
  'list_resources',
];

/** A limiter as a turn sees it. Each call is timed and counted under its own name. */
export interface Session {
  acquire(entity: string, resource: string, amounts: Amounts, options?: { readonly waitMs?: number }): Promise<Answer>;
  /** Undefined where it could not be read. */
  available(entity: string, resource: string): Promise<Amounts | undefined>;
  /** Needs the Node service: a scenario that manages says so by `manages`. Limits are in their short form, `rpm:100/min`. */
  manage<O extends ManagementOperation>(operation: O, given: Management[O]): Promise<void>;
}

/** What adjustments change, as two lists of amounts above zero. */
export function splitDeltas(deltas: Amounts): { readonly added: Amounts; readonly returned: Amounts } {
  const added: Record<string, number> = {};
  const returned: Record<string, number> = {};
  for (const [limit, tokens] of Object.entries(deltas)) {
    if (tokens > 0) added[limit] = tokens;
    if (tokens < 0) returned[limit] = -tokens;
  }
  return { added, returned };
}
