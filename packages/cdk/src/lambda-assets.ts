import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Code } from 'aws-cdk-lib/aws-lambda';

const ASSETS = join(__dirname, '..', 'assets');

/**
 * The code of a function that comes with this package, built before: the user's synth runs no bundler.
 *
 * @throws Error if it was not built, which only a checkout of this repository can be the cause of
 */
export function lambdaCode(name: 'aggregator' | 'limits-provisioner'): Code {
  const folder = join(ASSETS, name);
  if (!existsSync(join(folder, 'index.js'))) {
    throw new Error(
      `@millrace/cdk: ${join('assets', name, 'index.js')} is not there; build it: pnpm --filter @millrace/cdk run build:assets`,
    );
  }
  return Code.fromAsset(folder);
}
