import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Builds what the package ships and tests read, once for a run of tests, and only where it is missing: the scripts
 * `build` and `test` of the repository build it anew each time.
 */
export function setup(): void {
  const root = join(__dirname, '../../..');
  if (
    ['assets/aggregator/index.js', 'assets/limits-provisioner/index.js', 'dist/index.js'].every((file) =>
      existsSync(join(root, 'packages/cdk', file)),
    )
  )
    return;
  const node = (...args: string[]) => execFileSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  node('node_modules/typescript/bin/tsc', '-b');
  node('packages/cdk/build/code.mjs');
  node('packages/cdk/build/assets.mjs');
}
