import { CliFailure } from '../failure.js';
import type { Session } from '../session.js';

/** Refuses several forms of one answer: a program reads one at a time. */
export function checkForms(
  { globals }: Session,
  flags: { readonly csv?: boolean; readonly chart?: boolean; readonly arrow?: string },
): void {
  const forms = [
    ...(globals.json ? ['--json'] : []),
    ...(flags.csv === true ? ['--csv'] : []),
    ...(flags.chart === true ? ['--chart'] : []),
  ];
  const both = flags.arrow === undefined || forms.every((form) => form === '--json') ? forms : ['--arrow', ...forms];
  if (both.length > 1) throw new CliFailure('USAGE', `${both.join(' and ')} exclude each other`, 'leave all but one of them out');
}
