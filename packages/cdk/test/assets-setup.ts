import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Builds the functions that the constructs ship, once for a run of tests, and only where they are missing: the scripts
 * `build` and `test` of the repository build them anew each time.
 */
export function setup(): void {
  const root = join(__dirname, '../../..');
  const isBuilt = (name: string) => existsSync(join(root, 'packages/cdk/assets', name, 'index.js'));
  if (isBuilt('aggregator') && isBuilt('limits-provisioner')) return;
  const node = (...args: string[]) => execFileSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  node('node_modules/typescript/bin/tsc', '-b', 'lambdas/aggregator', 'lambdas/limits-provisioner');
  node('packages/cdk/build/assets.mjs');
}
