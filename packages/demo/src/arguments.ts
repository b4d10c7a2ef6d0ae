import { readArguments } from './read-arguments.js';

/** What the command line asks for. */
export type Arguments =
  | { readonly kind: 'run'; readonly seconds: number; readonly json: boolean }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string };

export const USAGE = `Usage: demo [--seconds N] [--json]

  --seconds N   how long clients call, from 1 to 120 seconds (20 unless given)
  --json        print the outcome as one JSON object; progress goes to stderr
  --help        print this

Exit code: 0 if all that was to hold held, 1 if not (something was admitted beyond a bound, or the table
or the usage ledger says another count), 2 for wrong arguments.
`;

const DEFAULT_SECONDS = '20';
const MAX_SECONDS = 120;

/** Reads the command line, without the program's own name. */
export function parseArguments(args: readonly string[]): Arguments {
  const read = readArguments(args, { seconds: { type: 'string' }, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } });
  if (read.kind === 'wrong') return read;
  const { seconds = DEFAULT_SECONDS, json = false, help = false } = read.values;
  if (help) return { kind: 'help' };
  if (!/^\d{1,3}$/.test(seconds) || Number(seconds) < 1 || Number(seconds) > MAX_SECONDS) {
    return { kind: 'wrong', message: `--seconds must be a whole number from 1 to ${MAX_SECONDS}, got "${seconds}"` };
  }
  return { kind: 'run', seconds: Number(seconds), json };
}
