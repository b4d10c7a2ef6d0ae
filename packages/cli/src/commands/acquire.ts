import { setTimeout as sleepFor } from 'node:timers/promises';
import type { Lease, Limit, Verdict } from '@millrace/limiter';
import type { Command } from 'commander';
import { withLimiter } from '../connection.js';
import { EXIT } from '../exit-codes.js';
import { CliFailure } from '../failure.js';
import { parseAmounts } from '../parse/amounts.js';
import { parseLimits } from '../parse/limits.js';
import { parseWhole } from '../parse/whole.js';
import { duration, figure } from '../render/figures.js';
import type { Style } from '../render/style.js';
import { table } from '../render/table.js';
import { safe } from '../render/text.js';
import { type Answer, addCommand, answering, type Cli, type Session } from '../session.js';
import { collect, LIMITS_HELP } from './level-answers.js';
import { inUse, leftTable, levelsLeft, reserveNote, type Standing } from './levels-left.js';

interface AcquireFlags {
  readonly limit?: readonly string[];
  readonly hold?: string;
  readonly release?: boolean;
}

/** How an acquire by hand ends: the tokens stay taken, or are given back at once, or after some seconds. */
type Settling = { readonly kind: 'commit' } | { readonly kind: 'release'; readonly afterSeconds: number };

/** `millrace acquire`: takes tokens by hand, as a service would. */
export function addAcquire(program: Command, cli: Cli): void {
  addCommand(
    program,
    'acquire <entity> <resource> <amounts...>',
    'take tokens by hand, as a service would; exit code 3 when refused',
    'millrace acquire key-1 gpt-4 rpm=1 tpm=800 --release',
  )
    .option('--limit <limit>', `instead of those stored, ${LIMITS_HELP}`, collect)
    .option('--release', 'give the tokens back at once')
    .option('--hold <seconds>', 'hold the lease so long, then give the tokens back; Ctrl-C gives them back, too')
    .action(
      answering(cli, (session, entity: string, resource: string, texts: readonly string[], flags: AcquireFlags) => {
        const amounts = parseAmounts(texts);
        const own = flags.limit === undefined ? undefined : parseLimits(flags.limit);
        const settling = settlingOf(flags);
        return withLimiter(session, async (limiter) => {
          const verdict = await limiter.tryAcquire(entity, resource, amounts, own === undefined ? {} : { limits: own });
          if (!verdict.allowed) {
            const { levels } = await levelsLeft(limiter, entity, resource, own);
            return { ...refused(entity, resource, verdict), ...reserveNote(inTheWay(verdict, levels)) };
          }
          // As they are while the lease is held: one that was given back has consumed nothing.
          const { consumed, remaining } = verdict.lease;
          const how = await settle(session, verdict.lease, settling);
          return admitted(verdict.lease, { consumed, remaining, ...how }, await levelsLeft(limiter, entity, resource, own));
        });
      }),
    );
}

function settlingOf({ hold, release }: AcquireFlags): Settling {
  if (hold !== undefined && release === true)
    throw new CliFailure('USAGE', '--hold and --release exclude each other', 'leave one of them out');
  if (hold !== undefined) return { kind: 'release', afterSeconds: parseWhole('--hold', hold, 1, 86_400) };
  return release === true ? { kind: 'release', afterSeconds: 0 } : { kind: 'commit' };
}

interface Settled {
  readonly settled: 'committed' | 'released';
  readonly isInterrupted: boolean;
}

/** Settles the lease, also when the program is asked to end while it holds it: a try by hand must not eat tokens. */
async function settle(session: Session, lease: Lease, settling: Settling): Promise<Settled> {
  if (settling.kind === 'commit') {
    await lease.commit();
    return { settled: 'committed', isInterrupted: false };
  }
  const isInterrupted = settling.afterSeconds > 0 && (await hold(session, settling.afterSeconds));
  await lease.release();
  return { settled: 'released', isInterrupted };
}

/** Waits so long, or until it is interrupted; true if it was. */
async function hold(session: Session, seconds: number): Promise<boolean> {
  const interruption = new AbortController();
  const { signal } = interruption;
  const interrupt = (): void => interruption.abort();
  const progress = session.progress('holding the lease, seconds');
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  try {
    for (let passed = 0; passed < seconds && !signal.aborted; passed += 1) {
      progress.step(passed, seconds);
      await sleepFor(1_000, undefined, { signal }).catch(() => undefined);
    }
    return signal.aborted;
  } finally {
    progress.end();
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}

interface Taken extends Pick<Lease, 'consumed' | 'remaining'>, Settled {}

function admitted(lease: Lease, { settled, isInterrupted, consumed, remaining }: Taken, { levels, bypassed }: Standing): Answer {
  const { entity, resource, degraded, shadowViolations } = lease;
  const given = settled === 'committed' ? 'taken' : 'taken, and given back';
  const limited = new Set(levels.map((level) => level.entity));
  const isCounted = [...limited].some((id) => !bypassed.includes(id));
  return {
    json: { allowed: true, entity, resource, settled, consumed, remaining, degraded, shadowViolations, bypassed, levels },
    text: (style) => {
      const amounts = Object.entries(consumed).map(([limit, tokens]) => `${limit} ${figure(tokens)}`);
      const taken = bypassed.length > 0 && !isCounted ? 'bypassed, nothing counted' : `${given}: ${amounts.join(', ')}`;
      const warnings = [
        ...(bypassed.length > 0 && isCounted ? [style.warn(`bypassed: nothing was counted at ${bypassed.map(safe).join(', ')}`)] : []),
        ...(degraded ? [style.warn('degraded: the table gave no answer, and not all of this is on its books')] : []),
        ...(shadowViolations.length > 0 ? [style.warn('shadow: this would have been refused if the entity were not in shadow mode')] : []),
      ];
      const head = [`${style.good('allowed')}  ${taken}`, ...warnings].join('\n');
      return `${head}\n\n${leftTable(levels, style)}`;
    },
    ...reserveNote(inUse(levels)),
    exitCode: isInterrupted ? EXIT.interrupted : EXIT.ok,
  };
}

type Refusal = Extract<Verdict, { readonly allowed: false }>;

function refused(entity: string, resource: string, { retryAfterMs, statuses }: Refusal): Answer {
  return {
    json: { allowed: false, entity, resource, retryAfterMs, statuses },
    text: (style) =>
      `${style.bad('refused')}  nothing was taken; try again in ${duration(retryAfterMs)}\n\n${statusTable(statuses, style)}`,
    exitCode: EXIT.refused,
  };
}

/** The limits that refused. */
function inTheWay({ statuses }: Refusal, levels: Standing['levels']): readonly Limit[] {
  const isIt = (entity: string, limit: string): boolean =>
    statuses.some((status) => status.exceeded && status.entity === entity && status.limit === limit);
  return levels.filter(({ entity, limit }) => isIt(entity, limit.name)).map(({ limit }) => limit);
}

function statusTable(statuses: Refusal['statuses'], style: Style): string {
  const rows = statuses.map((status) => [
    status.entity,
    status.limit,
    status.requested,
    status.available,
    status.capacity,
    status.exceeded ? duration(status.retryAfterMs) : 'fits now',
  ]);
  return table(['entity', 'limit', 'asked', 'available', 'capacity', { title: 'fits in', align: 'right' }], rows, { style });
}
