import { MillraceError } from '@millrace/core';

/** Where something is in a manifest: keys, and places in lists from 0. */
export type ManifestPath = readonly (string | number)[];

/** One mistake in a manifest. */
export interface ManifestIssue {
  readonly path: ManifestPath;
  readonly message: string;
  /** Counted from 1; absent where the manifest was not read from text. */
  readonly line?: number;
}

const SHOWN = 20;

/** A manifest with mistakes; all that were found are told at once. Nothing was sent. */
export class ManifestError extends MillraceError<'VALIDATION'> {
  override readonly name = 'ManifestError';
  readonly issues: readonly ManifestIssue[];

  constructor(issues: readonly ManifestIssue[]) {
    const shown = issues.slice(0, SHOWN).map((issue) => `\n  ${describeIssue(issue)}`);
    const more = issues.length > SHOWN ? `\n  and ${issues.length - SHOWN} more` : '';
    super('VALIDATION', `the manifest has ${issues.length === 1 ? 'a mistake' : `${issues.length} mistakes`}:${shown.join('')}${more}`);
    this.issues = issues;
  }
}

/** One mistake on one line: `line 4, resources["gpt-4"][0]: limit must be …`. */
export function describeIssue({ path, message, line }: ManifestIssue): string {
  const where = [...(line === undefined ? [] : [`line ${line}`]), ...(path.length === 0 ? [] : [pathText(path)])];
  return where.length === 0 ? message : `${where.join(', ')}: ${message}`;
}

const PLAIN_KEY = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

function pathText(path: ManifestPath): string {
  const steps = path.map((step) => {
    if (typeof step === 'number') return `[${step}]`;
    return PLAIN_KEY.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
  });
  return steps.join('').replace(/^[.]/, '');
}
