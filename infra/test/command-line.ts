import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The repository's root, where `cdk.json` is. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** How a command ended. */
export interface Ended {
  readonly code: number;
  /** What it said, on either stream, in order. */
  readonly said: string;
}

/** Runs a command in the repository's root, with this process's environment and more. */
export function command(program: string, options: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, options, { cwd: ROOT, env: { ...process.env, ...more } });
    const parts: string[] = [];
    child.stdout.on('data', (part: Buffer) => parts.push(String(part)));
    child.stderr.on('data', (part: Buffer) => parts.push(String(part)));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, said: parts.join('') }));
  });
}

/** What a user types after `pnpm exec cdk`. The template is validated when it is synthesised, in a test of its own. */
export function cdk(...options: readonly string[]): Promise<Ended> {
  return command('node_modules/.bin/cdk', [...options, '--no-notices', '--ci'], { CDK_VALIDATION: 'false' });
}

/** Runs the CDK, and throws what it said if it fails. */
export async function cdkDone(...options: readonly string[]): Promise<string> {
  const { code, said } = await cdk(...options);
  if (code !== 0) throw new Error(`cdk ${options.join(' ')} ended with ${code}:\n${said}`);
  return said;
}
