import { type Bench, type Terminal, UsageError } from './bench.js';

/** What the shell hears. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** Runs one bench by its name; returns the exit code. */
export async function runProgram(benches: readonly Bench[], args: readonly string[], terminal: Terminal): Promise<number> {
  // `pnpm bench -- acquire` hands over the two dashes as well.
  const [name, ...rest] = args[0] === '--' ? args.slice(1) : args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    terminal.stdout.write(usageOf(benches));
    return name === undefined ? EXIT.usage : EXIT.ok;
  }
  const bench = benches.find((each) => each.name === name);
  if (bench === undefined) {
    terminal.stderr.write(`bench: there is no bench "${name}"\n\n${usageOf(benches)}`);
    return EXIT.usage;
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    terminal.stdout.write(bench.usage);
    return EXIT.ok;
  }
  try {
    return await bench.run(rest, terminal);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    terminal.stderr.write(`bench ${name}: ${error.message}\n\n${bench.usage}`);
    return EXIT.usage;
  }
}

function usageOf(benches: readonly Bench[]): string {
  const width = Math.max(0, ...benches.map(({ name }) => name.length));
  const lines = benches.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`);
  return `Usage: pnpm bench <name> [options]\n\n${lines.join('')}\npnpm bench <name> --help says which options it has.\n`;
}
