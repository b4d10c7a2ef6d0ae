import { isMillraceError, Limit, type LimitDefinition, MAX_LIMITS } from '@millrace/core';
import type { ManifestPath } from './manifest-error.js';
import type { Report } from './report.js';

const YEAR_MS = 366 * 86_400_000;
const PERIODS_MS: ReadonlyMap<unknown, number> = new Map([
  ['sec', 1_000],
  ['min', 60_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
]);

const KEYS: readonly string[] = ['name', 'refill', 'periodMs', 'per', 'capacity', 'reserve'];

/** For each part of a limit, others with which any good value of it is good: so each part is checked for itself. */
const BESIDE = {
  name: { refill: 1, periodMs: 1_000 },
  refill: { periodMs: YEAR_MS },
  periodMs: { refill: 1 },
  capacity: { refill: 1_000_000_000, periodMs: 1_000 },
  reserve: { refill: 1, periodMs: 1_000 },
} as const;

const PARTS = ['name', 'refill', 'periodMs', 'capacity', 'reserve'] as const;
const LIMIT_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;

/** Checks a list of limits; undefined if there is a mistake in it, which was reported. */
export function checkLimitList(value: unknown, path: ManifestPath, report: Report): readonly Limit[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_LIMITS) {
    report.expected(path, `a list of 1 to ${MAX_LIMITS} limits`, value);
    return undefined;
  }
  const limits = value.map((entry: unknown, index) => checkLimit(entry, [...path, index], report));
  const names = limits.map((limit) => limit?.name);
  for (const [index, name] of names.entries()) {
    if (name !== undefined && names.indexOf(name) < index) report.issue([...path, index], `limit "${name}" is given twice`);
  }
  return limits.every((limit) => limit !== undefined) && new Set(names).size === names.length ? limits : undefined;
}

function checkLimit(value: unknown, path: ManifestPath, report: Report): Limit | undefined {
  if (typeof value === 'string') return attempt(path, report, () => Limit.parse(value));
  const before = report.count;
  const entry = report.object(value, path, KEYS, 'a limit: its short form (rpm:500/min) or an object with name, refill and per');
  if (entry === undefined) return undefined;
  const { per, ...rest } = entry;
  const periodMs = checkPeriod(per, rest['periodMs'], path, report);
  for (const part of PARTS) checkPart(part, rest, path, report);
  if (report.count > before) return undefined;
  // Parts that are good may not be so together: a rate or a time to fill beyond all bounds.
  return attempt(path, report, () => Limit.of({ ...rest, periodMs } as unknown as LimitDefinition));
}

function checkPart(part: (typeof PARTS)[number], entry: Readonly<Record<string, unknown>>, path: ManifestPath, report: Report): void {
  const value = entry[part];
  if (value === undefined && part !== 'name' && part !== 'refill') return;
  const name = typeof entry['name'] === 'string' && LIMIT_NAME.test(entry['name']) ? entry['name'] : 'limit';
  const probe = { name, ...BESIDE[part], [part]: value };
  attempt(part in entry ? [...path, part] : path, report, () => Limit.of(probe as unknown as LimitDefinition));
}

/** The period in milliseconds, whichever way it was written; undefined if it is not good, or left to be checked as a part. */
function checkPeriod(per: unknown, periodMs: unknown, path: ManifestPath, report: Report): unknown {
  if (per === undefined) {
    if (periodMs === undefined) report.issue(path, 'a limit needs its period: per (sec, min, hour or day), or periodMs');
    return periodMs;
  }
  if (periodMs !== undefined) report.issue(path, 'a limit has either per or periodMs, not both');
  if (!PERIODS_MS.has(per)) report.expected([...path, 'per'], `one of ${[...PERIODS_MS.keys()].join(', ')}`, per);
  return PERIODS_MS.get(per);
}

function attempt<T>(path: ManifestPath, report: Report, make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (!isMillraceError(error) || error.code !== 'VALIDATION') throw error;
    report.issue(path, error.message);
    return undefined;
  }
}
