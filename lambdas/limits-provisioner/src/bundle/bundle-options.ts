import { fileURLToPath } from 'node:url';
import type { BuildOptions } from 'esbuild';

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/**
 * How the function becomes one file for Node 20 and 22. The SDK is in it: the one that the runtime brings is another one
 * every month, loads slower, and would make a bundle mean something else than what was tested.
 *
 * @param entry The function's source, or what was compiled of it.
 */
export function bundleOptions(entry: string): BuildOptions {
  const extension = entry.endsWith('.ts') ? 'ts' : 'js';
  return {
    entryPoints: [entry],
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    // ES modules first, by either of their names: what nobody uses can only be left out of those.
    mainFields: ['module', 'main'],
    conditions: [...(extension === 'ts' ? ['@millrace/source'] : []), 'module'],
    alias: {
      '@aws-sdk/credential-provider-node': here(`../adapters/environment-credentials.${extension}`),
      bowser: here(`no-browser.${extension}`),
      undici: here(`no-undici.${extension}`),
    },
    legalComments: 'none',
    logLevel: 'error',
  };
}
