import type { Command } from 'commander';
import { parseWhole } from './whole.js';

/** The options of a listing, as they are typed. */
export interface PageFlags {
  readonly limit?: string;
  readonly after?: string;
}

/** Adds to a command what cuts a listing. */
export function addPageOptions(command: Command, of: string): Command {
  return command
    .option('--limit <count>', `how many ${of} to show, from 1 to 1,000 (100 unless given)`)
    .option('--after <name>', 'go on behind this one: what the page before ended with');
}

/** Reads them. */
export function parsePage({ limit, after }: PageFlags): { readonly pageSize: number; readonly after?: string } {
  const pageSize = limit === undefined ? 100 : parseWhole('--limit', limit, 1, 1_000);
  return { pageSize, ...(after === undefined ? {} : { after }) };
}

/** What to say below a page that is not the last. */
export function pageNote(next: string | undefined): { readonly note?: string } {
  return next === undefined ? {} : { note: `more: go on with --after ${quoted(next)}` };
}

/** A word as a shell would take it whole. */
function quoted(word: string): string {
  return /^[\w./:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
