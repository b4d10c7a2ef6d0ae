import { ValidationError } from '@millrace/core';

const AGO = /^(\d{1,9})(s|min|h|d)$/;
const UNIT_MS = { s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const ISO = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/;
const ZONE = /(Z|[+-]\d{2}:\d{2})$/;

/** What a moment looks like, for those who type it. A day without a clock begins in UTC, wherever the namespace's own begin. */
export const MOMENT_HELP = '2026-05-01 (in UTC), 2026-05-01T08:00+02:00, or how long ago: 30min, 2h, 7d';

/** Reads a moment: ISO 8601 (UTC where it names no zone), or how long ago it was: `90s`, `30min`, `2h`, `7d`. */
export function parseInstant(option: string, text: string, nowMs: number): Date {
  const [, count, unit] = AGO.exec(text) ?? [];
  if (count !== undefined) return new Date(nowMs - Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]);
  const at = ISO.test(text) ? new Date(text.includes('T') && !ZONE.test(text) ? `${text}Z` : text) : undefined;
  if (at === undefined || Number.isNaN(at.getTime())) {
    throw new ValidationError(`option "${option}"`, 'a moment (2026-05-01, 2026-05-01T08:00Z) or how long ago (30min, 2h, 7d)', text);
  }
  return at;
}
