import { checkLimits, Limit } from '@millrace/core';

/** Reads limits in their short form, as arguments and as values of `--limit`: `rpm:500/min`, `tpm:800000/min:1000000`. */
export function parseLimits(...groups: readonly (readonly string[] | undefined)[]): readonly Limit[] {
  const texts = groups.flatMap((group) => group ?? []);
  return checkLimits('limits', texts.map(Limit.parse));
}
