import { ValidationError } from '@millrace/core';

const AMOUNT = /^([^=]+)=(\d{1,15})$/;

/** Reads `rpm=1 tpm=800`. Whether the limits exist is for the limiter to say. */
export function parseAmounts(texts: readonly string[]): Record<string, number> {
  const amounts = new Map<string, number>();
  for (const text of texts) {
    const [, name, tokens] = AMOUNT.exec(text) ?? [];
    if (name === undefined || tokens === undefined) throw new ValidationError('amount', 'written as limit=tokens (rpm=1)', text);
    if (amounts.has(name)) throw new ValidationError(`amount of "${name}"`, 'given once', text);
    amounts.set(name, Number(tokens));
  }
  return Object.fromEntries(amounts);
}
