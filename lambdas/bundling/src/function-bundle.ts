import { fileURLToPath } from 'node:url';
import type { BuildOptions } from 'esbuild';

/** This module is a source in a test, and compiled elsewhere; so is what stands beside it. */
const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const here = (file: string): string => fileURLToPath(new URL(`${file}.${EXTENSION}`, import.meta.url));

/**
 * How a function becomes one file for Node 20 and 22. The SDK is in it: the one that the runtime brings is another one
 * every month, loads slower, and would make a bundle mean something else than what was tested.
 *
 * @param entry The function's source, or what was compiled of it.
 * @param alias What stands in for packages that this function does without.
 */
export function functionBundle(entry: string, alias: Readonly<Record<string, string>> = {}): BuildOptions {
  return {
    entryPoints: [entry],
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    // ES modules first, by either of their names: what nobody uses can only be left out of those.
    mainFields: ['module', 'main'],
    conditions: [...(entry.endsWith('.ts') ? ['@millrace/source'] : []), 'module'],
    alias: { '@aws-sdk/credential-provider-node': here('adapters/environment-credentials'), bowser: here('no-browser'), ...alias },
    legalComments: 'none',
    logLevel: 'error',
  };
}
