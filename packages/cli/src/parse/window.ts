import { USAGE_SOURCES, type UsageSource, ValidationError, type WindowType } from '@millrace/core';
import { parseInstant } from './instant.js';

const TYPES: readonly WindowType[] = ['hour', 'day', 'week', 'month'];
const DAY_MS = 86_400_000;
/** How far back a listing goes that names no beginning. */
const BACK_MS: Readonly<Record<WindowType, number>> = { hour: DAY_MS, day: 30 * DAY_MS, week: 84 * DAY_MS, month: 365 * DAY_MS };

/** The same in words. */
export const BACK_HELP = '24 hours, 30 days, 12 weeks or a year before --to, by --type';

export function parseWindowType(text: string, option = '--type'): WindowType {
  const type = TYPES.find((known) => known === text);
  if (type === undefined) throw new ValidationError(`option "${option}"`, `one of ${TYPES.join(', ')}`, text);
  return type;
}

export const SOURCE_HELP = 'buckets: what was taken (unless given), or events: what was recorded of committed leases';

/** Reads whose windows are asked for; nothing where it is not said. */
export function parseSource({ source }: { readonly source?: string }): { readonly source?: UsageSource } {
  if (source === undefined) return {};
  const known = USAGE_SOURCES.find((name) => name === source);
  if (known === undefined) throw new ValidationError('option "--source"', `one of ${USAGE_SOURCES.join(', ')}`, source);
  return { source: known };
}

/** Reads a range of time: from some windows ago until now, unless it is said. */
export function parseRange(
  flags: { readonly from?: string; readonly to?: string },
  type: WindowType,
  nowMs: number,
): { from: Date; to: Date } {
  const to = flags.to === undefined ? new Date(nowMs) : parseInstant('--to', flags.to, nowMs);
  const from = flags.from === undefined ? new Date(to.getTime() - BACK_MS[type]) : parseInstant('--from', flags.from, nowMs);
  return { from, to };
}
