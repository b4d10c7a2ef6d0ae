import { parseArgs } from 'node:util';

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
  // `pnpm demo -- --json` hands over the two dashes as well.
  const own = args[0] === '--' ? args.slice(1) : [...args];
  let values: { readonly seconds?: string; readonly json?: boolean; readonly help?: boolean };
  try {
    const options = { seconds: { type: 'string' }, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;
    ({ values } = parseArgs({ args: own, options, allowPositionals: false }));
  } catch (error) {
    return { kind: 'wrong', message: (error as Error).message.split('. ')[0] ?? '' };
  }
  const { seconds = DEFAULT_SECONDS, json = false, help = false } = values;
  if (help) return { kind: 'help' };
  if (!/^\d{1,3}$/.test(seconds) || Number(seconds) < 1 || Number(seconds) > MAX_SECONDS) {
    return { kind: 'wrong', message: `--seconds must be a whole number from 1 to ${MAX_SECONDS}, got "${seconds}"` };
  }
  return { kind: 'run', seconds: Number(seconds), json };
}
