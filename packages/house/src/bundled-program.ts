import { dirname } from 'node:path';
import { build } from 'esbuild';

/**
 * The program of a process that a test starts, as text: it is read from standard input, so that no file is written.
 *
 * @param entry Its source.
 */
export async function bundledProgram(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    conditions: ['@millrace/source'],
    external: ['@aws-sdk/*', 'undici'],
    absWorkingDir: dirname(entry),
  });
  return outputFiles[0]?.text ?? '';
}
