import { ATTRIBUTE, type ConfigLevel, type Limit, type UnavailablePolicy } from '@millrace/core';
import { type AuditEvent, auditWrites } from './audit-event.js';
import type { Item, ItemWrite } from './item-table.js';
import { configOfItem, levelWrite, plainLimits, type StoredConfig, sameLimits } from './level-item.js';
import { listLink, managedLink, putLink } from './level-links.js';
import { levelName, levelSubject } from './level-name.js';

/** What a level shall be like. A part that is absent stays as it is; null takes it away. */
export interface LevelChange {
  readonly level: ConfigLevel;
  readonly limits?: readonly Limit[] | null;
  /** The manifest whose mark `limits` shall carry; null for none, as if they were set by hand. Absent: that of the apply. */
  readonly managedBy?: string | null;
  /** Only at the system level. */
  readonly onUnavailable?: UnavailablePolicy | null;
  /** The same for `onUnavailable`, whose mark is its own. */
  readonly policyManagedBy?: string | null;
}

/** On whose behalf, where and when a level is changed. */
export interface ChangeContext {
  readonly namespaceId: string;
  readonly nowMs: number;
  readonly newEventId: () => string;
  readonly actor: string | undefined;
  /** The manifest whose apply it is; absent for a change by hand. */
  readonly manifest: string | undefined;
}

/** How many names of former limits a level remembers: the latest. */
const MAX_RETIRED = 50;

/**
 * All writes that a change of a level takes, given the level's item as it was read: the item, its links and its events.
 * They belong into one transaction. None if the level is like that already.
 *
 * A change by hand leaves the mark of the manifest that made the limits, so that its next apply sees the drift; taking
 * the limits away takes the mark with them. An apply takes away only what it has the mark of, and puts its own on what
 * it sets, also where another manifest's was.
 */
export function changeWrites(change: LevelChange, item: Item | undefined, context: ChangeContext): readonly ItemWrite[] {
  const current = configOfItem(item);
  const parts = [limitsPart(change, current, context), policyPart(change, current, context)].filter((part) => part !== undefined);
  if (parts.length === 0) return [];
  const attributes = Object.assign({}, ...parts.map((part) => part.attributes));
  return [
    levelWrite(context.namespaceId, change.level, item, attributes, context.nowMs),
    ...parts.flatMap((part) => part.links),
    ...parts.flatMap(({ event }) => {
      const { namespaceId, nowMs, actor, newEventId } = context;
      const whole = { id: newEventId(), ...levelSubject(change.level), ...(actor === undefined ? {} : { actor }), ...event };
      return auditWrites(namespaceId, whole, nowMs);
    }),
  ];
}

/** What becomes of one part of a level: attributes of its item, links, and the event that tells of it. */
interface ChangedPart {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly ItemWrite[];
  readonly event: Pick<AuditEvent, 'action' | 'before' | 'after'>;
}

function limitsPart(change: LevelChange, current: StoredConfig | undefined, context: ChangeContext): ChangedPart | undefined {
  const { limits } = change;
  if (limits === undefined) return undefined;
  const owner = limits === null ? undefined : markOf(change.managedBy, context.manifest ?? current?.managedBy);
  if (limits === null) {
    const kept = context.manifest !== undefined && current?.managedBy !== context.manifest;
    if (current?.limits === undefined || kept) return undefined;
  } else if (sameLimits(limits, current?.limits) && current?.managedBy === owner) {
    return undefined;
  }
  return {
    attributes: {
      [ATTRIBUTE.limits]: limits === null ? undefined : plainLimits(limits),
      [ATTRIBUTE.retired]: retiredNames(current, limits ?? []),
      [ATTRIBUTE.managedBy]: owner,
    },
    links: [...listed(change.level, current, limits, context), ...owned(change.level, current?.managedBy, owner, context)],
    event: {
      action: limits === null ? 'limits.delete' : 'limits.set',
      ...(current?.limits === undefined ? {} : { before: limitsView(current.limits, current.managedBy) }),
      ...(limits === null ? {} : { after: limitsView(limits, owner) }),
    },
  };
}

/** The mark that is asked for, or else the usual one. */
function markOf(asked: string | null | undefined, usual: string | undefined): string | undefined {
  return asked === undefined ? usual : (asked ?? undefined);
}

function listed(
  level: ConfigLevel,
  current: StoredConfig | undefined,
  limits: readonly Limit[] | null,
  context: ChangeContext,
): readonly ItemWrite[] {
  const link = listLink(context.namespaceId, level);
  if (link === undefined || (current?.limits === undefined) === (limits === null)) return [];
  return [limits === null ? { kind: 'delete', key: link } : putLink(link)];
}

function owned(
  level: ConfigLevel,
  before: string | undefined,
  after: string | undefined,
  { namespaceId }: ChangeContext,
): readonly ItemWrite[] {
  if (before === after) return [];
  return [
    ...(before === undefined ? [] : [{ kind: 'delete' as const, key: managedLink(namespaceId, before, level) }]),
    ...(after === undefined ? [] : [putLink(managedLink(namespaceId, after, level), levelName(level))]),
  ];
}

function policyPart(change: LevelChange, current: StoredConfig | undefined, context: ChangeContext): ChangedPart | undefined {
  const { onUnavailable } = change;
  if (onUnavailable === undefined) return undefined;
  const before = current?.onUnavailable;
  const owner = onUnavailable === null ? undefined : markOf(change.policyManagedBy, context.manifest ?? current?.policyManagedBy);
  if (onUnavailable === null) {
    const kept = context.manifest !== undefined && current?.policyManagedBy !== context.manifest;
    if (before === undefined || kept) return undefined;
  } else if (before === onUnavailable && current?.policyManagedBy === owner) {
    return undefined;
  }
  return {
    attributes: { [ATTRIBUTE.onUnavailable]: onUnavailable ?? undefined, [ATTRIBUTE.policyManagedBy]: owner },
    links: [],
    event: {
      action: 'policy.set',
      ...(before === undefined ? {} : { before: policyView(before, current?.policyManagedBy) }),
      ...(onUnavailable === null ? {} : { after: policyView(onUnavailable, owner) }),
    },
  };
}

/** The names of limits that the level had and has no more, the latest last. */
function retiredNames(current: StoredConfig | undefined, limits: readonly Limit[]): readonly string[] | undefined {
  const past = new Set([...(current?.retired ?? []), ...(current?.limits ?? []).map(({ name }) => name)]);
  for (const { name } of limits) past.delete(name);
  return past.size === 0 ? undefined : [...past].slice(-MAX_RETIRED);
}

function limitsView(limits: readonly Limit[], managedBy: string | undefined): unknown {
  return { limits: plainLimits(limits), ...(managedBy === undefined ? {} : { managedBy }) };
}

function policyView(onUnavailable: UnavailablePolicy, managedBy: string | undefined): unknown {
  return { onUnavailable, ...(managedBy === undefined ? {} : { managedBy }) };
}
