import {
  AcquireAborted,
  type ErrorCode,
  isMillraceError,
  LeaseSettled,
  LimiterClosed,
  MillraceError,
  RateLimitExceeded,
  RateLimiterUnavailable,
  ValidationError,
} from '@millrace/limiter';
import { describe, expect, it } from 'vitest';
import type { EngineTable } from './engine-table.js';

/** A call that cannot work, and what it must say. */
export interface BadCall<World> {
  readonly title: string;
  call(world: World): unknown;
  /** @default 'VALIDATION' */
  readonly code?: ErrorCode;
  /** Parts of the message: who it is about, and what was got or is to be done. */
  readonly says: readonly string[];
}

/** Declares that each call gives the error of its code, which says what is wrong, and changes nothing in the table. */
export function describeBadCalls<World extends { readonly table: EngineTable }>(
  title: string,
  world: () => World,
  calls: readonly BadCall<World>[],
): void {
  describe(title, () => {
    it.each(calls)('$title', async ({ call, code = 'VALIDATION', says }) => {
      const before = await world().table.contents();

      const error = await thrownBy(() => call(world()));

      expect(error).toMatchObject({ code });
      expect(error).toBeInstanceOf(classOf(code));
      expect(isMillraceError(error)).toBe(true);
      for (const part of says) expect((error as Error).message).toContain(part);
      expect(await world().table.contents()).toBe(before);
    });
  });
}

/** What a call throws or rejects with. */
export async function thrownBy(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new Error('the call went through');
}

function classOf(code: ErrorCode): typeof Error {
  switch (code) {
    case 'VALIDATION':
      return ValidationError as unknown as typeof Error;
    case 'RATE_LIMIT_EXCEEDED':
      return RateLimitExceeded as unknown as typeof Error;
    case 'UNAVAILABLE':
      return RateLimiterUnavailable as unknown as typeof Error;
    case 'LEASE_SETTLED':
      return LeaseSettled as unknown as typeof Error;
    case 'CLOSED':
      return LimiterClosed as unknown as typeof Error;
    case 'ABORTED':
      return AcquireAborted as unknown as typeof Error;
    default:
      return MillraceError as unknown as typeof Error;
  }
}
