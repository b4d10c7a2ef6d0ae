import type { Command } from 'commander';
import { CliFailure } from '../failure.js';
import { addCommand } from '../session.js';

/**
 * `millrace load`: here for help alone. Its words and options are those of another package, so that they go there before this
 * one reads any; what comes here had an option of this program before the word.
 */
export function addLoad(program: Command): void {
  addCommand(
    program,
    'load',
    'load tests by k6, with the package @millrace/load: run, report, compare, tune, stop',
    'millrace load run simple',
  )
    .argument('[words...]')
    .action(() => {
      throw new CliFailure('USAGE', '"load" must be the first word', 'options stand behind it: millrace load run simple --json');
    });
}
