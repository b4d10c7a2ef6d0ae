import { ValidationError } from '@millrace/core';

/** Reads a whole number between two bounds, both included. */
export function parseWhole(option: string, text: string, min: number, max: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) throw new ValidationError(`option "${option}"`, `a whole number from ${min} to ${max}`, text);
  return value;
}
