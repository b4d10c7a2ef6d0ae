/** Where a bench writes: its result on stdout, everything else on stderr. */
export interface Terminal {
  readonly stdout: { readonly isTTY?: boolean; write(text: string): unknown };
  readonly stderr: { readonly isTTY?: boolean; readonly columns?: number; write(text: string): unknown };
  readonly env: NodeJS.ProcessEnv;
}

/** One subcommand of `pnpm bench`. */
export interface Bench {
  readonly name: string;
  /** One line for the list of benches. */
  readonly summary: string;
  /** What `pnpm bench <name> --help` prints. */
  readonly usage: string;
  /** Runs it with the arguments after its name, and says the exit code: 0 done, 1 a figure failed its check. */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

/** Arguments that can never work: the exit code is 2, and the usage is shown. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
