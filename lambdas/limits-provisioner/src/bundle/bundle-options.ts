import { fileURLToPath } from 'node:url';
import { functionBundle } from '@millrace/lambda-bundling';

/** How this function becomes one file. */
export function bundleOptions(entry: string): ReturnType<typeof functionBundle> {
  const extension = entry.endsWith('.ts') ? 'ts' : 'js';
  return functionBundle(entry, { undici: fileURLToPath(new URL(`no-undici.${extension}`, import.meta.url)) });
}
