import {
  type Bill,
  type BreakEven,
  type CacheRow,
  type ModeCost,
  type PeerBill,
  perMillion,
  scaled,
  usdText,
  type Workload,
} from '@millrace/cost';
import { figure } from '../render/figures.js';
import type { Style } from '../render/style.js';
import { type Cell, type Column, table } from '../render/table.js';

/** All that an estimate holds. */
export interface CostView {
  readonly region: string;
  readonly workload: Workload;
  readonly month: Bill;
  readonly modes: readonly ModeCost[];
  readonly breakEven: BreakEven;
  readonly targetUtilisation: number;
  readonly peer: readonly PeerBill[] | undefined;
}

const HOURS = 720;

const right = (title: string): Column => ({ title, align: 'right' });

/** Rows with some columns as dollars, whose points stand below each other: small bills have more digits than large ones. */
function inDollars(rows: readonly (readonly Cell[])[], ...columns: readonly number[]): readonly (readonly Cell[])[] {
  const behindPoint = (text: string): number => text.length - text.indexOf('.');
  const most = columns.map((column) => Math.max(...rows.map((row) => behindPoint(usdText(Number(row[column]))))));
  return rows.map((row) =>
    row.map((cell, at) => {
      const column = columns.indexOf(at);
      if (column < 0) return cell;
      const text = usdText(Number(cell));
      return text + ' '.repeat((most[column] ?? 0) - behindPoint(text));
    }),
  );
}

/** The estimate for people. */
export function costText(view: CostView, style: Style): string {
  const { region, workload, month } = view;
  const head = `${figure(workload.acquiresPerMonth)} acquires a month of 30 days, prices of ${region}, on demand, without the free tier\n`;
  return [head, partsTable(view, style), periodTable(month, style), modeTable(view, style), ...peerText(view, style)].join('\n');
}

function partsTable({ workload, month }: CostView, style: Style): string {
  const million = perMillion(month, workload.acquiresPerMonth);
  const line = (part: string, each: Bill['total'], usdPerMonth: number): readonly Cell[] => {
    return [part, ...units(each), each.usd, usdPerMonth];
  };
  const rows = million.parts.flatMap((part, index) => {
    const usdPerMonth = month.parts[index]?.usd ?? 0;
    return part.requests === 0 && usdPerMonth === 0 ? [] : [line(part.part, part, usdPerMonth)];
  });
  const columns = ['part', 'requests', 'read units', 'write units', right('cost'), right('cost of the month')];
  const ledger =
    workload.usageWindows === 0
      ? ''
      : '\nusage and lambda: by the design of the ledger, one write for each bucket, window and batch, and one in its index for each new window.\n';
  const head = 'What a million acquires take and cost, and what all of the month cost:\n';
  return head + table(columns, inDollars([...rows, line('in all', million.total, month.total.usd)], 4, 5), { style }) + ledger;
}

function periodTable(month: Bill, style: Style): string {
  const line = (name: string, factor: number): readonly Cell[] => {
    const { total } = scaled(month, factor);
    return [name, ...units(total), total.usd];
  };
  const rows = [line('hour', 1 / HOURS), line('day', 24 / HOURS), line('month', 1)];
  return table(['each', 'requests', 'read units', 'write units', right('cost')], inDollars(rows, 4), { style });
}

function modeTable({ modes, breakEven, targetUtilisation }: CostView, style: Style): string {
  const rows = modes.map(({ mode, readUnitsPerSec, writeUnitsPerSec, usd }) => [mode, readUnitsPerSec, writeUnitsPerSec, usd]);
  const { writeUtilisation, reservedFromWrites } = breakEven;
  const millions = (writes: number): string => `${figure(Math.round(writes / 1e5) / 10)} M`;
  return (
    table(['reads and writes', 'reads/s', 'writes/s', right('a month')], inDollars(rows, 3), { style }) +
    `\nIf the load is steady: provisioned at ${percent(targetUtilisation)} of use, cheaper than on demand above ${percent(writeUtilisation)};\n` +
    `a hundred reserved units (1 year) are cheaper than on demand from ${millions(reservedFromWrites.thanOnDemand)} writes a month, ` +
    `than provisioned from ${millions(reservedFromWrites.thanProvisioned)}.\n`
  );
}

function peerText({ peer, month }: CostView, style: Style): readonly string[] {
  if (peer === undefined) return [];
  const rows = peer.map(({ basis, what, readUnits, writeUnits, usd }) => [basis, what, Math.round(readUnits), Math.round(writeUnits), usd]);
  const { readUnits, writeUnits, usd } = month.total;
  const ours = ['estimated', 'ours, in all', Math.round(readUnits), Math.round(writeUnits), usd];
  const text = table(['basis', 'the closest peer, a month', 'read units', 'write units', right('a month')], inDollars([...rows, ours], 4), {
    style,
  });
  return [`${text}\nPublished figures are claims of its guides; corrected ones count what DynamoDB bills.\n`];
}

/** The table of the configuration's cache for people. */
export function cacheText(ttlSec: number, rows: readonly CacheRow[], style: Style): string {
  const cells = rows.map(({ ratePerSec, ours, published }) => [
    ratePerSec,
    percent(ours.hitRate, 3),
    shortest(ours.readsPerAsk),
    shortest(ours.readUnitsPerAcquire),
    percent(published.hitRate, 2),
    shortest(published.readsPerAsk),
  ]);
  const columns = ['acquires/s', right('hits'), right('items read'), right('read units'), right('peer: hits'), right('peer: reads')];
  return `One entity in one process, a life of ${figure(ttlSec)} s; reads are to an acquire\n\n${table(columns, cells, { style })}`;
}

function units({ requests, readUnits, writeUnits }: Bill['total']): readonly number[] {
  return [requests, readUnits, writeUnits].map((value) => (value < 100 ? Math.round(value * 10) / 10 : Math.round(value)));
}

function percent(share: number, digits = 1): string {
  return `${(share * 100).toFixed(digits)} %`;
}

function shortest(value: number): string {
  return String(Number(value.toPrecision(3)));
}
