import { parseArgs } from 'node:util';
import { UsageError } from './bench.js';

type Options = Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;
type Values<T extends Options> = { readonly [K in keyof T]?: T[K]['type'] extends 'string' ? string : boolean };

/** Reads options of one bench; anything else is a usage error. */
export function readOptions<T extends Options>(args: readonly string[], options: T): Values<T> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: false }).values as Values<T>;
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0] ?? '');
  }
}

/** A number of an option; `fallback` where it was not given. */
export function numberOf(option: string, text: string | undefined, fallback: number, low: number, high: number): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (text.trim() === '' || !(value >= low && value <= high)) {
    throw new UsageError(`--${option} must be a number from ${low} to ${high}, got "${text}"`);
  }
  return value;
}

/** Whole numbers, separated by commas. */
export function wholesOf(
  option: string,
  text: string | undefined,
  fallback: readonly number[],
  low: number,
  high: number,
): readonly number[] {
  if (text === undefined) return fallback;
  return text.split(',').map((part) => {
    if (!/^\d{1,9}$/.test(part) || Number(part) < low || Number(part) > high) {
      throw new UsageError(`--${option} must be whole numbers from ${low} to ${high}, separated by commas, got "${text}"`);
    }
    return Number(part);
  });
}

/** Some of the names that there are, separated by commas. */
export function namesOf<T extends string>(option: string, text: string | undefined, known: readonly T[]): readonly T[] {
  if (text === undefined) return known;
  return text.split(',').map((part) => {
    const found = known.find((name) => name === part);
    if (found === undefined) throw new UsageError(`--${option} must be some of ${known.join(',')}, got "${part}"`);
    return found;
  });
}
