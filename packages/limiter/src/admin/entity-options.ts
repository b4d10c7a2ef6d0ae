import { checkKeys, checkName, type EntityControl, ValidationError } from '@millrace/core';
import type { ActorOptions } from './administration.js';
import type { DeleteProgress } from './entity-delete.js';

/** What a new entity may be told. */
export interface CreateEntityOptions extends ActorOptions {
  /** An existing entity to stand below. @default none */
  readonly parent?: string;
  /** Whether an acquire on the new entity also takes from its parent. @default false */
  readonly cascade?: boolean;
}

/** Where an entity is to stand; at least one of parent and cascade. */
export interface MoveEntityOptions extends ActorOptions {
  /** An existing entity to stand below, or null to stand below none. @default the parent that it has */
  readonly parent?: string | null;
  /** Whether an acquire on it also takes from its parent. @default as it is; false without a parent */
  readonly cascade?: boolean;
}

/** What a deletion may be told. */
export interface DeleteEntityOptions extends ActorOptions {
  /** Whether to delete all that stands below it, too. @default false: refuse to delete an entity with children */
  readonly children?: boolean;
  /** Called after each entity that was deleted. */
  readonly onProgress?: (progress: DeleteProgress) => void;
}

/** What a control may be told. */
export interface ControlOptions extends ActorOptions {
  /** Why, at most 500 characters; it is said to callers that are refused for it. @default none */
  readonly reason?: string;
}

const MAX_REASON_LENGTH = 500;

export function checkCreate(options: CreateEntityOptions): { readonly parent: string | undefined; readonly cascade: boolean } {
  checkKeys('options', options, ['parent', 'cascade', 'actor']);
  const { parent, cascade = false } = options;
  checkCascade(cascade);
  if (parent !== undefined) checkName('parent', parent);
  if (cascade && parent === undefined) throw cascadeToNobody();
  return { parent, cascade };
}

export function checkMove(options: MoveEntityOptions): Pick<MoveEntityOptions, 'parent' | 'cascade'> {
  checkKeys('options', options, ['parent', 'cascade', 'actor']);
  const { parent, cascade } = options;
  if (parent === undefined && cascade === undefined) {
    throw new ValidationError('options', 'an object with "parent" or "cascade", which say what to change', options);
  }
  if (parent !== undefined && parent !== null) checkName('parent', parent);
  if (cascade !== undefined) checkCascade(cascade);
  if (cascade === true && parent === null) throw cascadeToNobody();
  return options;
}

export function checkDelete(options: DeleteEntityOptions): Pick<DeleteEntityOptions, 'children' | 'onProgress'> {
  checkKeys('options', options, ['children', 'actor', 'onProgress']);
  const { children, onProgress } = options;
  if (children !== undefined && typeof children !== 'boolean') throw new ValidationError('option "children"', 'true or false', children);
  if (onProgress !== undefined && typeof onProgress !== 'function') {
    throw new ValidationError('option "onProgress"', 'a function', onProgress);
  }
  return options;
}

export function checkControl(mode: EntityControl['mode'], options: ControlOptions): EntityControl {
  checkKeys('options', options, mode === 'enforce' ? ['actor'] : ['reason', 'actor']);
  const { reason } = options;
  if (reason === undefined) return { mode };
  if (typeof reason !== 'string' || reason.trim() === '' || reason.length > MAX_REASON_LENGTH) {
    throw new ValidationError('option "reason"', `a text of 1 to ${MAX_REASON_LENGTH} characters`, reason);
  }
  return { mode, reason };
}

function checkCascade(value: unknown): void {
  if (typeof value !== 'boolean') throw new ValidationError('option "cascade"', 'true or false', value);
}

/** Nobody can be charged above an entity without a parent. */
export function cascadeToNobody(): ValidationError {
  return new ValidationError('option "cascade"', 'false for an entity without a parent', true);
}
