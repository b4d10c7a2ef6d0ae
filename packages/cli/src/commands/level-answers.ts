import type { ConfigLevel } from '@millrace/core';
import type { StoredLevel } from '@millrace/limiter/admin';
import { withLimiter } from '../connection.js';
import { levelWords } from '../parse/level.js';
import { parseLimits } from '../parse/limits.js';
import { moment } from '../render/figures.js';
import { limitsTable } from '../render/limits.js';
import type { Answer, Session } from '../session.js';

/** What `limits set` of any level may be told: limits as arguments, as options, or both. */
export interface LimitFlags {
  readonly limit?: readonly string[];
}

/** Makes an option repeatable. One that takes all words behind it would swallow the arguments that follow. */
export function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

export const LIMITS_HELP = 'limits as name:tokens/period[:capacity]: rpm:500/min, tpm:800000/min:1000000; periods are sec, min, hour, day';

/** Stores the limits of a level in place of those it has, and shows what is there then. */
export async function setLevel(session: Session, level: ConfigLevel, texts: readonly string[], flags: LimitFlags): Promise<Answer> {
  const limits = parseLimits(texts, flags.limit);
  return withLimiter(session, async (limiter) => {
    await limiter.limits.set(level, limits);
    return levelAnswer(level, await limiter.limits.get(level));
  });
}

/** Shows the limits that a level itself has. */
export async function getLevel(session: Session, level: ConfigLevel): Promise<Answer> {
  return withLimiter(session, async (limiter) => levelAnswer(level, await limiter.limits.get(level)));
}

/** Takes the limits of a level away. That there were none is no failure: what was asked for is so. */
export async function deleteLevel(session: Session, level: ConfigLevel, type: string): Promise<Answer> {
  await session.confirm({ what: `deletes the limits of ${levelWords(level)}`, type });
  const deleted = await withLimiter(session, (limiter) => limiter.limits.delete(level));
  return {
    json: { ...level, deleted },
    text: () =>
      deleted ? `deleted the limits of ${levelWords(level)}\n` : `${levelWords(level)} had no limits of its own; nothing was deleted\n`,
  };
}

function levelAnswer(level: ConfigLevel, stored: StoredLevel | undefined): Answer {
  return {
    json: { ...level, limits: null, ...stored },
    text: (style) => {
      if (stored === undefined) return `${levelWords(level)} has no limits of its own; "millrace explain" shows which hold\n`;
      const by = stored.managedBy === undefined ? '' : `, managed by manifest ${stored.managedBy}`;
      return `${levelWords(level)}, since ${moment(stored.updatedAt)}${by}\n\n${limitsTable(stored.limits, style)}`;
    },
  };
}
