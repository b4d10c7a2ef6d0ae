/** What became of one check. `skip`: what it needs has failed. */
export interface Check {
  readonly check: string;
  readonly result: 'ok' | 'warn' | 'fail' | 'skip';
  /** What was found. */
  readonly found: string;
  /** What to do about it. */
  readonly todo?: string;
}

export function ok(check: string, found: string): Check {
  return { check, result: 'ok', found };
}

export function warn(check: string, found: string, todo: string): Check {
  return { check, result: 'warn', found, todo };
}

export function fail(check: string, found: string, todo: string | undefined): Check {
  return { check, result: 'fail', found, ...(todo === undefined ? {} : { todo }) };
}

/** Skips checks for want of what they need. */
export function skip(checks: readonly string[], needed: string): readonly Check[] {
  return checks.map((check) => ({ check, result: 'skip', found: `needs ${needed}` }));
}
