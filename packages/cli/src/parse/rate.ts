import { ValidationError } from '@millrace/core';
import { HOURS_PER_MONTH } from '@millrace/cost';

const RATE = /^(\d{1,15}(?:\.\d{1,6})?)\/(second|minute|hour|day|month)$/;
const PER_MONTH: Readonly<Record<string, number>> = {
  second: 3_600 * HOURS_PER_MONTH,
  minute: 60 * HOURS_PER_MONTH,
  hour: HOURS_PER_MONTH,
  day: HOURS_PER_MONTH / 24,
  month: 1,
};

/** Reads how often something happens (`10000/hour`), as so many times in a month of 30 days. */
export function parsePerMonth(option: string, text: string): number {
  const [, count, unit = ''] = RATE.exec(text) ?? [];
  const times = PER_MONTH[unit];
  if (count === undefined || times === undefined) {
    throw new ValidationError(`option "${option}"`, 'a number per second, minute, hour, day or month (10000/hour)', text);
  }
  return Number(count) * times;
}

const SHARE = /^(\d{1,3}(?:\.\d{1,9})?)(%?)$/;

/** Reads a share: `0.5`, or `50%`. */
export function parseShare(option: string, text: string): number {
  const [, digits, sign] = SHARE.exec(text) ?? [];
  const share = digits === undefined ? Number.NaN : Number(digits) / (sign === '%' ? 100 : 1);
  if (!(share >= 0 && share <= 1)) throw new ValidationError(`option "${option}"`, 'a share from 0 to 1, or from 0% to 100%', text);
  return share;
}

const NUMBER = /^\d{1,15}(?:\.\d{1,9})?$/;

/** Reads a number of zero or more. */
export function parseNumber(option: string, text: string): number {
  if (!NUMBER.test(text)) throw new ValidationError(`option "${option}"`, 'a number of 0 or more', text);
  return Number(text);
}
