import { readArguments } from '../read-arguments.js';

/** What the command line asks for. */
export type EngineArguments =
  | { readonly kind: 'run'; readonly port: number; readonly table: string }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string };

export const USAGE = `Usage: engine [--port N] [--table NAME]

Starts a DynamoDB engine in memory, creates a table for Millrace in it and books its usage ledger, until Ctrl-C.

  --port N      where it answers on this machine (8000 unless given; 0: any that is free)
  --table NAME  what the table is called (millrace unless given)
  --help        print this

Exit code: 0 when it is ended, 1 if it could not start or broke, 2 for wrong arguments.
`;

const DEFAULT_PORT = '8000';
const MAX_PORT = 65_535;

/** Reads the command line, without the program's own name. */
export function parseEngineArguments(args: readonly string[]): EngineArguments {
  const read = readArguments(args, { port: { type: 'string' }, table: { type: 'string' }, help: { type: 'boolean', short: 'h' } });
  if (read.kind === 'wrong') return read;
  const { port = DEFAULT_PORT, table = 'millrace', help = false } = read.values;
  if (help) return { kind: 'help' };
  if (!/^\d{1,5}$/.test(port) || Number(port) > MAX_PORT) {
    return { kind: 'wrong', message: `--port must be a whole number from 0 to ${MAX_PORT}, got "${port}"` };
  }
  if (!/^[\w.-]{3,255}$/.test(table)) {
    return { kind: 'wrong', message: `--table must be 3 to 255 letters, digits, _, - or ., got "${table}"` };
  }
  return { kind: 'run', port: Number(port), table };
}
