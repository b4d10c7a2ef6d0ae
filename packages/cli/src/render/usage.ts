import type { LimitUsage, UsageByLimit, UsageSnapshot } from '@millrace/limiter';
import { barChart } from './chart.js';
import { csv, type Field } from './csv.js';
import { moment } from './figures.js';
import type { Style } from './style.js';
import { type Cell, table } from './table.js';

/** One limit of one window; a window without any use is one without a limit. */
export interface UsageRow extends LimitUsage {
  readonly entity: string;
  readonly resource: string;
  readonly type: string;
  readonly start: Date;
  readonly end: Date;
  readonly limit: string | undefined;
  readonly writes: number;
}

const NONE: LimitUsage = { used: 0, returned: 0, net: 0 };

/** Windows as rows: programs that read tables want one fact to a line. */
export function usageRows(entity: string, snapshots: readonly UsageSnapshot[]): readonly UsageRow[] {
  return snapshots.flatMap(({ resource, type, start, end, limits, writes }): readonly UsageRow[] => {
    const window = { entity, resource, type, start, end, writes };
    const named = Object.entries(limits);
    if (named.length === 0) return [{ ...window, limit: undefined, ...NONE }];
    return named.map(([limit, usage]) => ({ ...window, limit, ...usage }));
  });
}

const FIELDS = ['entity', 'resource', 'type', 'start', 'end', 'limit', 'used', 'returned', 'net', 'writes'] as const;

export function usageCsv(rows: readonly UsageRow[]): string {
  return csv(
    FIELDS,
    rows.map((row) => FIELDS.map((name): Field => (name === 'start' || name === 'end' ? row[name].toISOString() : row[name]))),
  );
}

export function usageTable(rows: readonly UsageRow[], style: Style): string {
  const cells = rows.map(({ resource, start, limit, used, returned, net, writes }): Cell[] => [
    resource,
    moment(start),
    limit,
    used,
    returned,
    net,
    writes,
  ]);
  return table(['resource', 'start', 'limit', 'used', 'returned', 'net', 'writes'], cells, { style, empty: 'nothing was used' });
}

/** A chart of what was consumed for each resource and limit, a bar for each window. */
export function usageChart(snapshots: readonly UsageSnapshot[], columns: number | undefined, style: Style): string {
  const charts: string[] = [];
  for (const resource of new Set(snapshots.map((snapshot) => snapshot.resource))) {
    const own = snapshots.filter((snapshot) => snapshot.resource === resource);
    for (const limit of new Set(own.flatMap(({ limits }) => Object.keys(limits)))) {
      const bars = own.map(({ start, limits }) => ({ label: moment(start), value: limits[limit]?.net ?? 0 }));
      charts.push(`${style.bold(`${limit} of ${resource}`)}\n${barChart(bars, columns, style)}`);
    }
  }
  return charts.length === 0 ? 'nothing was used\n' : charts.join('\n');
}

/** What was used, by resource and limit. */
export function totalsTable(resources: Readonly<Record<string, UsageByLimit>>, style: Style): string {
  const rows = Object.entries(resources).flatMap(([resource, limits]) =>
    Object.entries(limits).map(([limit, { used, returned, net }]): Cell[] => [resource, limit, used, returned, net]),
  );
  return table(['resource', 'limit', 'used', 'returned', 'net'], rows, { style, empty: 'nothing was used' });
}
