import { execFile } from 'node:child_process';

/** What a short program said, whatever its exit code. */
export interface Said {
  /** Undefined if it could not be started, or took too long. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a short program to its end. */
export function ask(
  command: string,
  args: readonly string[],
  options: { readonly timeoutMs: number; readonly env?: NodeJS.ProcessEnv },
): Promise<Said> {
  return new Promise((resolve) => {
    execFile(
      command,
      args,
      { timeout: options.timeoutMs, env: options.env ?? process.env, maxBuffer: 16_000_000 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : error.code;
        resolve({ code: typeof code === 'number' ? code : undefined, stdout, stderr });
      },
    );
  });
}
