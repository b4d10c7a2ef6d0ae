import { ATTRIBUTE, checkLimits, checkName, configKey, StoreFailure, ValidationError } from '@millrace/core';
import type { Administration } from './administration.js';
import { type Item, type ItemWrite, MAX_TRANSACTION_WRITES } from './item-table.js';
import { type ChangeContext, changeWrites, type LevelChange } from './level-change.js';
import { checkLevel, levelName } from './level-name.js';

/** For whom changes of levels are written, and under what condition. */
export interface ApplyLevelsOptions {
  readonly actor: string | undefined;
  readonly manifest: string;
  /** Writes that go into each transaction, made anew for each: what must hold for any of them to happen. */
  readonly guard?: () => readonly ItemWrite[];
  /** Called after each transaction with how many of the changes are done. */
  readonly onProgress?: (done: number) => void;
}

/** `guard-lost`: a guard did not hold; the first `done` changes were written, no later one was. */
export interface ApplyLevelsResult {
  readonly outcome: 'done' | 'guard-lost';
  readonly done: number;
}

/** So many items are read at once. */
const READ_SIZE = 100;
const MAX_CONFLICTS = 8;

/**
 * Writes changes of levels in their order, in transactions as large as there may be: one read for each hundred changes
 * and one transaction for about twenty. Each decides on what it read, and again on what is there if somebody came in
 * between; none is written without the guard.
 */
export async function applyLevels(
  parts: Administration,
  changes: readonly LevelChange[],
  options: ApplyLevelsOptions,
): Promise<ApplyLevelsResult> {
  const checked = checkChanges(changes);
  let done = 0;
  const onWritten = (count: number): void => {
    done += count;
    options.onProgress?.(done);
  };
  for (let start = 0; start < checked.length; start += READ_SIZE) {
    const outcome = await applyPage(parts, checked.slice(start, start + READ_SIZE), options, onWritten);
    if (outcome === 'guard-lost') return { outcome, done };
  }
  return { outcome: 'done', done };
}

async function applyPage(
  parts: Administration,
  changes: readonly LevelChange[],
  options: ApplyLevelsOptions,
  onWritten: (count: number) => void,
): Promise<'done' | 'guard-lost'> {
  let rest = changes;
  let items = await readItems(parts, rest);
  let conflicts = 0;
  while (rest.length > 0) {
    const { writes, count } = fill(parts, rest, items, options);
    const outcome = writes.length === 0 ? 'done' : await write(parts, [...(options.guard?.() ?? []), ...writes], rest.slice(0, count));
    if (outcome === 'conflict') {
      const now = await readItems(parts, rest);
      if (options.guard !== undefined && sameVersions(items.slice(0, count), now)) return 'guard-lost';
      conflicts += 1;
      if (conflicts === MAX_CONFLICTS) throw tooManyConflicts();
      items = now;
    } else {
      [rest, items, conflicts] = [rest.slice(count), items.slice(count), 0];
      onWritten(count);
    }
  }
  return 'done';
}

/** Caches hear of the levels also when it failed: the write may have happened, and only its answer was lost. */
function write(parts: Administration, writes: readonly ItemWrite[], changes: readonly LevelChange[]): Promise<'done' | 'conflict'> {
  return parts.items.transact(writes).finally(() => parts.onChange(changes.map(({ level }) => level)));
}

function readItems(parts: Administration, changes: readonly LevelChange[]): Promise<readonly (Item | undefined)[]> {
  return parts.items.get(changes.map(({ level }) => configKey(parts.namespaceId, level)));
}

/** As many changes, from the first on, as one transaction holds. */
function fill(
  parts: Administration,
  changes: readonly LevelChange[],
  items: readonly (Item | undefined)[],
  { actor, manifest, guard }: ApplyLevelsOptions,
): { readonly writes: readonly ItemWrite[]; readonly count: number } {
  const { namespaceId, newEventId } = parts;
  const context: ChangeContext = { namespaceId, newEventId, nowMs: parts.nowMs(), actor, manifest };
  const room = MAX_TRANSACTION_WRITES - (guard?.().length ?? 0);
  const writes: ItemWrite[] = [];
  let count = 0;
  for (const change of changes) {
    const more = changeWrites(change, items[count], context);
    if (count > 0 && writes.length + more.length > room) break;
    writes.push(...more);
    count += 1;
  }
  return { writes, count };
}

function sameVersions(before: readonly (Item | undefined)[], after: readonly (Item | undefined)[]): boolean {
  return before.every((item, index) => item?.[ATTRIBUTE.version] === after[index]?.[ATTRIBUTE.version]);
}

function tooManyConflicts(): StoreFailure {
  return new StoreFailure('throttled', 'no', `cannot apply limits: others changed them ${MAX_CONFLICTS} times in a row`);
}

/** Checks everything before anything is sent, so that a mistake in the last change does not leave the others half done. */
function checkChanges(changes: readonly LevelChange[]): readonly LevelChange[] {
  const seen = new Set<string>();
  return changes.map((change) => {
    const level = checkLevel(change.level);
    const name = levelName(level);
    if (seen.has(name)) throw new ValidationError('changes', 'at most one for each level', name);
    seen.add(name);
    if (change.onUnavailable !== undefined) checkPolicy(change);
    for (const mark of [change.managedBy, change.policyManagedBy]) if (typeof mark === 'string') checkManifestName(mark);
    if (change.limits === undefined || change.limits === null) return change;
    return { ...change, limits: checkLimits(`limits of ${name}`, change.limits) };
  });
}

function checkPolicy({ level, onUnavailable }: LevelChange): void {
  if (level.level !== 'system') throw new ValidationError('onUnavailable', 'set at the system level only', levelName(level));
  checkOnUnavailable(onUnavailable);
}

/** Checks what shall happen when the store cannot be reached; null for nothing in particular. */
export function checkOnUnavailable(value: unknown): void {
  if (value !== 'block' && value !== 'allow' && value !== null) {
    throw new ValidationError('onUnavailable', '"block" or "allow"', value);
  }
}

/** Checks the name of a manifest. */
export function checkManifestName(value: unknown): string {
  return checkName('manifest', value);
}
