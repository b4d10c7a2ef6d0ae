import { CliFailure } from '../failure.js';
import type { Session } from '../session.js';
import type { PageFlags } from './page.js';

interface FormFlags extends PageFlags {
  readonly csv?: boolean;
  readonly chart?: boolean;
  readonly arrow?: string;
}

/** Refuses several forms of one answer, as a program reads one at a time; and pages of a form that has none. */
export function checkForms({ globals }: Session, flags: FormFlags): void {
  const forms = [
    ...(globals.json ? ['--json'] : []),
    ...(flags.csv === true ? ['--csv'] : []),
    ...(flags.chart === true ? ['--chart'] : []),
  ];
  const both = flags.arrow === undefined || forms.every((form) => form === '--json') ? forms : ['--arrow', ...forms];
  if (both.length > 1) throw new CliFailure('USAGE', `${both.join(' and ')} exclude each other`, 'leave all but one of them out');
  const whole = flags.arrow === undefined ? both.find((form) => form !== '--json') : '--arrow';
  const page = flags.limit === undefined ? flags.after && '--after' : '--limit';
  if (whole !== undefined && page !== undefined) {
    throw new CliFailure(
      'USAGE',
      `${whole} takes the whole range, so ${page} does nothing beside it`,
      'give --from and --to, or take --json',
    );
  }
}
