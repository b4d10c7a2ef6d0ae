import { checkInteger, checkKeys, ValidationError, WINDOW_TYPES, type WindowType } from '@millrace/core';

/** How the handler works. */
export interface HandlerOptions {
  /** Writes that are under way at once, 1 to 200. More only help where the table is far away. @default 50 */
  readonly applyConcurrency?: number;
  /** Which windows are kept. @default all four */
  readonly windowTypes?: readonly WindowType[];
  /** With less time than this left, in milliseconds, nothing more is begun. It must be more than one request may take. @default 5 000 */
  readonly reserveMs?: number;
  /** What the keys of archived audit events begin with. @default 'audit/' */
  readonly archivePrefix?: string;
}

const KEYS = ['applyConcurrency', 'windowTypes', 'reserveMs', 'archivePrefix'] as const;
const MAX_LAMBDA_MS = 900_000;

/** Checks options and fills in what was left out. */
export function checkHandlerOptions(options: HandlerOptions): Required<HandlerOptions> {
  checkKeys('options', options, KEYS);
  const { applyConcurrency = 50, windowTypes = WINDOW_TYPES, reserveMs = 5_000, archivePrefix = 'audit/' } = options;
  if (!Array.isArray(windowTypes) || windowTypes.length === 0 || !windowTypes.every((type) => WINDOW_TYPES.includes(type))) {
    throw new ValidationError('option "windowTypes"', `some of ${WINDOW_TYPES.join(', ')}`, windowTypes);
  }
  // Such a part would be taken out of the path that is asked for, and the object lie elsewhere, or nowhere for want of a grant.
  if (
    typeof archivePrefix !== 'string' ||
    archivePrefix
      .split('/')
      .slice(0, -1)
      .some((part) => part === '.' || part === '..')
  ) {
    throw new ValidationError('option "archivePrefix"', 'a string without the parts "." and ".."', archivePrefix);
  }
  return {
    applyConcurrency: checkInteger('option "applyConcurrency"', applyConcurrency, 1, 200),
    windowTypes: [...new Set(windowTypes)],
    reserveMs: checkInteger('option "reserveMs"', reserveMs, 0, MAX_LAMBDA_MS),
    archivePrefix,
  };
}
