import { checkName, describeValue, isMillraceError, type NameKind } from '@millrace/core';
import type { ManifestIssue, ManifestPath } from './manifest-error.js';

/** So many mistakes are told at most. An alias can repeat one mistake without end. */
const MAX_ISSUES = 1_000;

/** Collects mistakes, so that all are told at once. */
export class Report {
  readonly issues: ManifestIssue[] = [];
  /** How many mistakes there were, also those beyond what is kept. */
  count = 0;

  issue(path: ManifestPath, message: string): void {
    this.count += 1;
    if (this.issues.length < MAX_ISSUES) this.issues.push({ path, message });
  }

  expected(path: ManifestPath, expected: string, value: unknown): void {
    this.issue(path, `must be ${expected}, got ${describeValue(value)}`);
  }

  /** The object at a place, with its unknown keys reported; undefined if it is none. `known` absent: any key. */
  object(
    value: unknown,
    path: ManifestPath,
    known: readonly string[] | undefined,
    expected: string,
  ): Readonly<Record<string, unknown>> | undefined {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.expected(path, expected, value);
      return undefined;
    }
    for (const key of Object.keys(value)) {
      if (known !== undefined && !known.includes(key)) this.issue([...path, key], `unknown key; known are ${known.join(', ')}`);
    }
    return value as Readonly<Record<string, unknown>>;
  }

  /** Whether a value is good as a name of its kind. */
  name(value: unknown, kind: NameKind, path: ManifestPath): value is string {
    try {
      checkName(kind, value);
      return true;
    } catch (error) {
      if (!isMillraceError(error)) throw error;
      this.issue(path, error.message);
      return false;
    }
  }
}
