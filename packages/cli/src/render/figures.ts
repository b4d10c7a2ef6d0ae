import { Limit } from '@millrace/core';

const GROUPED = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });

/** A number for people: 1,234,567. JSON has plain ones. */
export function figure(value: number): string {
  return GROUPED.format(value);
}

/** So many of something: `1 item`, `1,200 items`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${figure(count)} ${count === 1 ? one : many}`;
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['min', 60_000],
  ['sec', 1_000],
] as const;

/** The period of a limit: `min`, `5 min`, `250 ms`. */
export function period(periodMs: number): string {
  const unit = UNITS.find(([, ms]) => periodMs % ms === 0);
  if (unit === undefined) return `${figure(periodMs)} ms`;
  const count = periodMs / unit[1];
  return count === 1 ? unit[0] : `${figure(count)} ${unit[0]}`;
}

/** How long something takes, for people: `40 ms`, `1.5 s`, `2 min 5 s`, `3 h 20 min`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${figure(Math.ceil(ms))} ms`;
  if (ms < 60_000) return `${figure(Math.ceil(ms / 100) / 10)} s`;
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 3_600) return joined([Math.floor(seconds / 60), 'min'], [seconds % 60, 's']);
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 1_440) return joined([Math.floor(minutes / 60), 'h'], [minutes % 60, 'min']);
  const hours = Math.ceil(minutes / 60);
  return joined([Math.floor(hours / 24), 'd'], [hours % 24, 'h']);
}

function joined([large, largeUnit]: readonly [number, string], [small, smallUnit]: readonly [number, string]): string {
  return small === 0 ? `${figure(large)} ${largeUnit}` : `${figure(large)} ${largeUnit} ${small} ${smallUnit}`;
}

/** A moment in UTC, to the second. */
export function moment(date: Date): string {
  return date.toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** A limit in its short form, as it is typed; one of a period that has none says it in words. */
export function limitText(limit: Limit): string {
  const known = [1_000, 60_000, 3_600_000, 86_400_000].includes(limit.periodMs);
  if (known) return Limit.format(limit);
  return `${limit.name}:${limit.refill}/${period(limit.periodMs)}${limit.capacity === limit.refill ? '' : `:${limit.capacity}`}`;
}

export function limitsText(limits: readonly Limit[]): string {
  return limits.map(limitText).join(' ');
}
