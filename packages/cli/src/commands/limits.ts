import { isMillraceError } from '@millrace/core';
import type { RateLimiter } from '@millrace/limiter';
import type { ApplyOptions, Manifest, ManifestLocked, Plan } from '@millrace/limits';
import type { Command } from 'commander';
import { applyOwner, isDeadOwner } from '../apply-owner.js';
import { withLimiter } from '../connection.js';
import { EXIT } from '../exit-codes.js';
import { CliFailure } from '../failure.js';
import { figure } from '../render/figures.js';
import { driftText, planText } from '../render/plan.js';
import { type Answer, addCommand, addGroup, answering, type Cli, type Session } from '../session.js';
import { readManifest } from './manifest-file.js';

interface ManifestFlags {
  readonly file: string;
  readonly prune: boolean;
  readonly exitCode?: boolean;
  readonly takeOver?: boolean;
}

/** `millrace limits`: limits as code. */
export function addLimits(program: Command, cli: Cli): void {
  const limits = addGroup(program, 'limits', 'limits as code: a manifest says what limits there shall be');
  withFile(addCommand(limits, 'plan', 'show what an apply would change; writes nothing', 'millrace limits plan -f limits.yaml'))
    .option('--no-prune', 'leave what earlier applies of the manifest made and it no longer says')
    .option('--exit-code', 'exit with 2 if there is anything to change')
    .action(
      answering(cli, (session, flags: ManifestFlags) =>
        withManifest(session, flags, async (limiter, manifest) => {
          const planned = await planFor(limiter, manifest, flags);
          const isChange = planned.changes.some(({ action }) => action !== 'unchanged');
          return {
            ...planAnswer(manifest, planned, 'planned'),
            ...(isChange && flags.exitCode === true ? { exitCode: EXIT.different } : {}),
          };
        }),
      ),
    );
  withFile(
    addCommand(
      limits,
      'apply',
      'make the limits as the manifest says; asks before it deletes',
      'millrace limits apply -f limits.yaml --yes',
    ),
  )
    .option('--no-prune', 'leave what earlier applies of the manifest made and it no longer says')
    .option('--take-over', 'apply even if another apply holds the lock: that one will write nothing more')
    .action(
      answering(cli, (session, flags: ManifestFlags) =>
        withManifest(session, flags, (limiter, manifest) => apply(session, limiter, manifest, flags)),
      ),
    );
  withFile(
    addCommand(
      limits,
      'diff',
      'show what in the table is not as the manifest says; exit code 2 if anything',
      'millrace limits diff -f limits.yaml',
    ),
  ).action(
    answering(cli, (session, flags: ManifestFlags) =>
      withManifest(session, flags, async (limiter, manifest) => {
        const { diffManifest } = await import('@millrace/limits');
        const drift = await diffManifest(limiter, manifest);
        return {
          json: { manifest: manifest.name, drift },
          text: (style) => driftText(drift, style),
          exitCode: drift.length === 0 ? EXIT.ok : EXIT.different,
        };
      }),
    ),
  );
}

function withFile(command: Command): Command {
  return command.requiredOption('-f, --file <path>', 'the manifest, in YAML or JSON, - for stdin; must be given');
}

/** Opens the namespace that was named, or else the one that the manifest is written for. */
async function withManifest(
  session: Session,
  { file }: ManifestFlags,
  work: (limiter: RateLimiter, manifest: Manifest) => Promise<Answer>,
): Promise<Answer> {
  const manifest = await readManifest(file, session);
  const { namespace, isNamespaceGiven } = session.globals;
  const own = isNamespaceGiven ? namespace : (manifest.namespace ?? namespace);
  return withLimiter({ globals: { ...session.globals, namespace: own } }, (limiter) => work(limiter, manifest));
}

async function planFor(limiter: RateLimiter, manifest: Manifest, { prune }: ManifestFlags): Promise<Plan> {
  const { plan, readLive } = await import('@millrace/limits');
  return plan(manifest, await readLive(limiter, manifest), { prune });
}

/** Asks before anything is deleted, and then deletes no more than what was agreed to. */
async function apply(session: Session, limiter: RateLimiter, manifest: Manifest, flags: ManifestFlags): Promise<Answer> {
  const { summary } = await planFor(limiter, manifest, flags);
  if (summary.delete > 0) {
    const what = `deletes limits of ${figure(summary.delete)} ${summary.delete === 1 ? 'level' : 'levels'} that manifest "${manifest.name}" no longer has`;
    await session.confirm({ what, type: manifest.name });
  }
  const progress = session.progress('applied');
  try {
    const done = await applyWith(limiter, manifest, {
      prune: flags.prune,
      takeOver: flags.takeOver === true,
      owner: applyOwner(),
      onProgress: ({ done: count, total }) => progress.step(count, total),
      onPlan: ({ summary: now }) => {
        if (now.delete > summary.delete && !session.globals.yes) {
          throw new CliFailure('NOT_CONFIRMED', 'what would be deleted has changed meanwhile; nothing was changed', 'run it again');
        }
      },
    });
    return planAnswer(manifest, done, 'applied');
  } finally {
    progress.end();
  }
}

/** Takes the lock of an apply over that is known to have died; one that may be alive keeps it. */
async function applyWith(limiter: RateLimiter, manifest: Manifest, options: ApplyOptions): Promise<Plan> {
  const { applyManifest } = await import('@millrace/limits');
  try {
    return await applyManifest(limiter, manifest, options);
  } catch (error) {
    if (!isLocked(error) || error.holder === undefined || !isDeadOwner(error.holder.owner)) throw error;
    return applyManifest(limiter, manifest, { ...options, takeOver: true });
  }
}

function isLocked(error: unknown): error is ManifestLocked {
  return isMillraceError(error) && error.code === 'CONFLICT' && 'holder' in error;
}

function planAnswer(manifest: Manifest, planned: Plan, when: 'planned' | 'applied'): Answer {
  const changes = planned.changes.filter(({ action }) => action !== 'unchanged');
  return {
    json: { manifest: manifest.name, changes, summary: planned.summary },
    text: (style) => planText(planned, style, when),
  };
}
