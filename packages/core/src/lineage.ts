import { ValidationError } from './errors.js';

/** The most ancestors that an entity may have. */
export const MAX_DEPTH = 8;

/** What an acquire must know of an entity before it may touch its bucket. */
export interface Lineage {
  /** The ancestors that an acquire on the entity also takes from, nearest first. */
  readonly charged: readonly string[];
  /** Grows with every change of the entity. A bucket refuses writers that know an older one. */
  readonly version: number;
}

/** An entity as it is stored. */
export interface EntityRecord {
  readonly id: string;
  readonly parent?: string;
  /** The version that the parent had when this entity was placed below it: its ancestors are those of that version. */
  readonly parentVersion?: number;
  /** Whether an acquire on this entity also takes from its parent. */
  readonly cascade: boolean;
  /** All ancestors, nearest first. */
  readonly ancestors: readonly string[];
  /** How many of them are charged: the chain of cascades ends at the first entity that does not cascade. */
  readonly chargedCount: number;
  readonly version: number;
  readonly createdAtMs: number;
  /** How many entities name this one as their parent. */
  readonly childCount: number;
  /** A deleted entity is kept for a while, so that its version goes on growing if it is created again. */
  readonly deleted: boolean;
}

/** The lineage of an entity that was never created: it has no ancestors, and any creation is newer. */
export const NO_LINEAGE: Lineage = Object.freeze({ charged: Object.freeze([]), version: 0 });

/** What an acquire needs of a stored entity. */
export function lineageOf(record: EntityRecord | undefined): Lineage {
  if (record === undefined) return NO_LINEAGE;
  return { charged: record.deleted ? [] : record.ancestors.slice(0, record.chargedCount), version: record.version };
}

/** What to store for an entity below `parent`. Refuses a chain that is too deep, or that comes back to itself. */
export function newEntity(
  id: string,
  parent: EntityRecord | undefined,
  cascade: boolean,
  previous: EntityRecord | undefined,
  nowMs: number,
): EntityRecord {
  const place = placeBelow(parent, cascade);
  if (place.ancestors.length > MAX_DEPTH) {
    throw new ValidationError('parent', `an entity with at most ${MAX_DEPTH - 1} ancestors of its own`, parent?.id);
  }
  if (place.ancestors.includes(id)) throw new ValidationError('parent', 'an entity that is not below the new one', parent?.id);
  return { id, ...place, version: nextVersion(previous, nowMs), createdAtMs: nowMs, childCount: 0, deleted: false };
}

/** Where an entity stands: what changes when it is moved, or one above it. */
export type Place = Pick<EntityRecord, 'parent' | 'parentVersion' | 'cascade' | 'ancestors' | 'chargedCount'>;

/** The place directly below `parent`, or below nobody; it takes the parent's own place as it is given. Checks nothing. */
export function placeBelow(parent: EntityRecord | undefined, cascade: boolean): Place {
  if (parent === undefined) return { cascade: false, ancestors: [], chargedCount: 0 };
  return {
    parent: parent.id,
    parentVersion: parent.version,
    cascade,
    ancestors: [parent.id, ...parent.ancestors],
    chargedCount: cascade ? 1 + parent.chargedCount : 0,
  };
}

/** A version above the previous one, whatever the writer's clock says. */
export function nextVersion(previous: { readonly version: number } | undefined, nowMs: number): number {
  return Math.max(Math.floor(nowMs), (previous?.version ?? 0) + 1);
}
