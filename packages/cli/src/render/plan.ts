import type { Limit } from '@millrace/core';
import type { Drift, Plan } from '@millrace/limits';
import { figure, limitsText } from './figures.js';
import type { Style } from './style.js';
import { type Cell, table } from './table.js';

const VERBS = {
  planned: { create: 'to create', update: 'to update', delete: 'to delete' },
  applied: { create: 'created', update: 'updated', delete: 'deleted' },
} as const;

/** A plan for people: what an apply changes, line by line, and a count of it all. */
export function planText({ changes, summary }: Plan, style: Style, when: keyof typeof VERBS): string {
  const lines = changes
    .filter(({ action }) => action !== 'unchanged')
    .map(({ action, target, before, after, takenFrom }) => [action, target, said(before), said(after), takenFrom]);
  const counts = (['create', 'update', 'delete'] as const).map((action) => `${figure(summary[action])} ${VERBS[when][action]}`);
  return `${listing(['action', 'target', 'before', 'after', 'taken from'], lines, style)}${counts.join(', ')}, ${figure(summary.unchanged)} unchanged\n`;
}

/** What is not as the manifest says. */
export function driftText(drift: readonly Drift[], style: Style): string {
  if (drift.length === 0) return 'no differences: the table is as the manifest says\n';
  const lines = drift.map(({ kind, target, expected, found, heldBy }) => [kind, target, said(expected), said(found), heldBy]);
  const count = `${figure(drift.length)} ${drift.length === 1 ? 'difference' : 'differences'}\n`;
  return listing(['difference', 'target', 'manifest', 'table', 'held by'], lines, style) + count;
}

/** A table and an empty line; without its last column where that says nothing, which is nearly always. */
function listing(titles: readonly string[], lines: readonly (readonly Cell[])[], style: Style): string {
  if (lines.length === 0) return '';
  const last = titles.length - 1;
  return `${table(lines.some((line) => line[last] !== undefined) ? titles : titles.slice(0, last), lines, { style })}\n`;
}

function said(value: readonly Limit[] | string | undefined): string | undefined {
  return value === undefined || typeof value === 'string' ? value : limitsText(value);
}
