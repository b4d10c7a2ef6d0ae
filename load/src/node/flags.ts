import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Arguments that can never work: nothing is started, and the exit code is 64. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_MS = 31 * 86_400_000;

/** Splits arguments into options and what stands alone. @throws UsageError */
export function parsedWith<const Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Options,
): ReturnType<typeof parseArgs<{ args: string[]; options: Options; allowPositionals: true }>> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0] ?? '');
  }
}

/** A property that is absent where there is no value. */
export function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };
}

export function wholeOf(option: string, text: string | undefined, fallback: number, most = 999_999): number {
  if (text === undefined) return fallback;
  if (!/^\d{1,6}$/.test(text) || Number(text) < 1 || Number(text) > most)
    throw new UsageError(`--${option} must be a whole number from 1 to ${most}, got "${text}"`);
  return Number(text);
}

/** @param bounds The least and the most that it may be. */
export function numberOf<F extends number | undefined>(
  option: string,
  text: string | undefined,
  fallback: F,
  [least, most]: readonly [number, number] = [0.001, 1_000_000],
): number | F {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (text.trim() === '' || !(value >= least && value <= most)) {
    throw new UsageError(`--${option} must be a number from ${least} to ${most}, got "${text}"`);
  }
  return value;
}

/** Milliseconds of `500ms`, `30s`, `5m` or `2h`. */
export function timeOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  const ms = Math.round(Number(amount) * (UNITS_MS[unit] ?? Number.NaN));
  if (amount === '' || !(ms >= 1 && ms <= LONGEST_MS))
    throw new UsageError(`--${option} must be a time as 500ms, 30s, 5m or 2h, got "${text}"`);
  return ms;
}

export function oneOf<T extends string>(option: string, text: string | undefined, known: readonly T[]): T | undefined {
  if (text === undefined) return undefined;
  const found = known.find((each) => each === text);
  if (found === undefined) throw new UsageError(`--${option} must be one of ${known.join(', ')}, got "${text}"`);
  return found;
}

export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
