import type { Limit } from '@millrace/core';
import { period } from './figures.js';
import type { Style } from './style.js';
import { type Cell, table } from './table.js';

/** The columns of a limit, for tables in which each has a line. */
const LIMIT_TITLES = ['limit', 'tokens', 'per', 'capacity'] as const;

export function limitCells({ name, refill, periodMs, capacity }: Limit): readonly Cell[] {
  return [name, refill, period(periodMs), capacity];
}

/** Limits, one to a line. */
export function limitsTable(limits: readonly Limit[], style: Style): string {
  return table(LIMIT_TITLES, limits.map(limitCells), { style });
}
