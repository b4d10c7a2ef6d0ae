import { randomUUID } from 'node:crypto';
import { isMillraceError, type Sleep } from '@millrace/core';
import type { Administration } from '@millrace/limiter/admin';
import { applyManifest, type Manifest, type Plan, type Restored } from '@millrace/limits';
import type { TimeBudget } from './time-budget.js';

/** How a manifest is applied within an invocation. */
export interface TimedApply {
  readonly parts: Administration;
  readonly manifest: Manifest;
  readonly prune: boolean;
  readonly actor: string;
  readonly budget: TimeBudget;
  readonly sleep: Sleep;
  readonly onPlan: (plan: Plan) => void;
}

/** An apply that failed, and what became of what it had changed. */
export class ApplyFailed extends Error {
  override readonly name = 'ApplyFailed';
  /** Whether the table is as it was before; false if some levels are as the manifest says already. */
  readonly isRestored: boolean;

  constructor(cause: unknown, isRestored: boolean, note: string) {
    super(`${messageOf(cause)}${note === '' ? '' : `; ${note}`}`, { cause });
    this.isRestored = isRestored;
  }
}

const PAUSE_MS = 2_000;
/** A delivery that died is gone on with by the next one so long after its last sign of life. */
const LEASE_MS = 30_000;

/**
 * Makes the table as a manifest says, or leaves it as it was. While another apply holds the lock, be it the same request that
 * was delivered twice or somebody at a terminal, it waits, and then makes a plan of what there is.
 *
 * @throws ApplyFailed
 */
export async function applyInTime(apply: TimedApply): Promise<Plan> {
  const { manifest, prune, actor, budget, sleep, onPlan } = apply;
  const parts = { ...apply.parts, items: budget.guarded(apply.parts.items) };
  // No two deliveries share an owner: each would take the other for its own past life.
  const owner = `limits-provisioner ${randomUUID()}`;
  let isWhole = true;
  for (;;) {
    const undoing = new Undoing(apply);
    let isPlanned = false;
    try {
      return await applyManifest(parts, manifest, {
        prune,
        actor,
        owner,
        leaseMs: LEASE_MS,
        onPlan: (plan) => {
          isPlanned = true;
          onPlan(plan);
        },
        onFailure: (_, restore) => undoing.run(restore),
      });
    } catch (error) {
      // One that was taken over in the middle leaves what it has written to the other.
      if (isLocked(error) && isPlanned) isWhole = false;
      if (!isLocked(error) || budget.leftMs <= PAUSE_MS) throw new ApplyFailed(error, isWhole && undoing.isRestored, undoing.note);
    }
    await sleep(PAUSE_MS);
  }
}

/** Puts back what an apply has changed. */
class Undoing {
  readonly #apply: TimedApply;
  isRestored = true;
  note = '';

  constructor(apply: TimedApply) {
    this.#apply = apply;
  }

  async run(restore: () => Promise<Restored>): Promise<void> {
    this.#apply.budget.beginRestoring();
    try {
      const { restored, left } = await insist(this.#apply, restore);
      this.note = `what was changed is as it was before (${restored} put back${left === 0 ? '' : `, ${left} changed by others meanwhile`})`;
    } catch (error) {
      this.isRestored = false;
      this.note = `and what was changed could not be put back: ${messageOf(error)}`;
    }
  }
}

/** Tries again and again while there is time, unless another apply has the right to write now. */
export async function insist<T>({ budget, sleep }: Pick<TimedApply, 'budget' | 'sleep'>, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (isLocked(error) || budget.leftMs <= PAUSE_MS) throw error;
    }
    await sleep(PAUSE_MS);
  }
}

function isLocked(error: unknown): boolean {
  return isMillraceError(error) && error.code === 'CONFLICT';
}

/** What an error says, with its name where that tells more than the words. */
export function messageOf(error: unknown): string {
  if (isMillraceError(error) || error instanceof ApplyFailed) return error.message;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
